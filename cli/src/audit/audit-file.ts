import { hash } from 'node:crypto';
import {
    EMPTY_TREE,
    grownTree,
    leafHash,
    type MerkleTree,
    rootOf,
    treeWith,
} from '../../../platform/transparency/merkle-tree.ts';
import { type AuditedRow, type AuditedSeal, dataText, rowLeaf, sealLeaf } from '../../../proto/audit-leaves.ts';
import { checkpointOf } from './checkpoint.ts';
import { Fault } from './fault.ts';
import type { KeptCheckpoint } from './kept-checkpoint.ts';
import { type Line, lineOf } from './line.ts';

/** The versions of the form of an audit that are read here. Version 2 says who has caused an event. */
const VERSIONS: readonly unknown[] = [1, 2];
/** The most lines that are named of the rows without data. Beyond it: the others are only counted. */
const MAX_NAMED_LINES = 10;
/** What a line with a signature begins with in a note. The service writes one; others would count for nothing. */
const SIGNATURE = '\n\u2014 ';

type Row = Omit<Line<'row'>, 'data'> & AuditedRow & { data: readonly object[] };
type Leaf = { leaf: unknown; hash: unknown };

/** What the lines of an audit so far have shown. */
interface Shown {
    rows: number;
    /** Rows without their data, because their account is erased. */
    emptied_rows: number;
    /** Those of them whose account has no event `account.erased` in this audit. It may come later. */
    unexplained_rows: number;
    /** Where the first of these are. */
    unexplained_lines: readonly number[];
    /** Emptied rows whose `account.erased` no checkpoint covers yet, so it proves nothing. The next one will. */
    unproven_rows: number;
    /** Where the first of these are. */
    unproven_lines: readonly number[];
    /** Leaves that a checkpoint covers, and when the last of them was sealed. */
    signed_leaves: number;
    signed_until: string | undefined;
    /** Leaves since the last checkpoint. The next one will cover them. */
    unsigned_leaves: number;
    /** Who has signed it. */
    issuers: readonly string[];
}

/**
 * Reads the lines of an audit in their order, and builds the Merkle tree again. Each line must be exactly as the service
 * writes it, each leaf must be at its place, and each seal and checkpoint must have the root of the tree so far.
 */
export class AuditFile {
    readonly #trusted: readonly string[];
    readonly #kept: KeptCheckpoint | undefined;
    #tree: MerkleTree = EMPTY_TREE;
    #isOpen = false;
    #hasEnded = false;
    #lineNumber = 0;
    /** The first line after the last seal, and after the last checkpoint. */
    #unsealedFrom: number | undefined;
    #unsignedFrom = 0;
    #start = 0;
    #sealedAt: string | undefined;
    /** The sizes of the checkpoints so far. */
    #checkpoints = new Set<number>();
    #lastCheckpoint = 0;
    #signers = new Set<string>();
    #rows = 0;
    /** The rows without data of each account, with the first of their lines, and where the accounts are erased. */
    #emptied = new Map<string, { rows: number; lines: number[] }>();
    /** The first leaf `account.erased` of each account. */
    #erased = new Map<string, number>();
    #signedUntil: string | undefined;

    /** `trusted`: the DIDs whose checkpoints count. Empty: that of the first one. `kept`: what the audit must contain. */
    constructor(trusted: readonly string[], kept?: KeptCheckpoint) {
        this.#trusted = trusted;
        this.#kept = kept;
    }

    /** Throws Fault if the line is wrong. */
    read(text: string): void {
        this.#lineNumber++;
        if (this.#hasEnded) throw new Fault('It comes after the end.');
        const { kind, line } = lineOf(text);
        if ((kind === 'audit') === this.#isOpen) throw new Fault('An audit has one first line.');
        if (kind === 'audit') this.#open(line as Line<'audit'>);
        else if (kind === 'row') this.#addRow(line as Row);
        else if (kind === 'seal') this.#addSeal(line as Line<'seal'> & AuditedSeal);
        else if (kind === 'checkpoint') this.#addCheckpoint(line as Line<'checkpoint'>);
        else this.#end(line as Line<'end'>);
    }

    /** Returns what a whole audit has shown. Throws Fault if lines are missing. */
    end(): Shown {
        if (!this.#hasEnded) throw new Fault('The last line is missing: the export broke off, or lines were removed.');
        const unexplained = [...this.#emptied].flatMap(([account, of]) => (this.#erased.has(account) ? [] : [of]));
        const unproven = [...this.#emptied].flatMap(([account, of]) =>
            (this.#erased.get(account) ?? -1) >= this.#lastCheckpoint ? [of] : [],
        );
        return {
            rows: this.#rows,
            emptied_rows: rowsOf(this.#emptied.values()),
            unexplained_rows: rowsOf(unexplained),
            unexplained_lines: linesOf(unexplained),
            unproven_rows: rowsOf(unproven),
            unproven_lines: linesOf(unproven),
            signed_leaves: this.#lastCheckpoint - this.#start,
            signed_until: this.#signedUntil,
            unsigned_leaves: this.#tree.size - this.#lastCheckpoint,
            issuers: [...this.#signers],
        };
    }

    #open({ version, start, edge }: Line<'audit'>): void {
        if (!VERSIONS.includes(version)) throw new Fault(`Only the versions ${VERSIONS.join(' and ')} can be read.`);
        const bytes = Buffer.from(String(edge), 'base64');
        const tree = treeWith(Number(start), bytes);
        if (!tree || tree.size !== start || bytes.toString('base64') !== edge)
            throw new Fault('The edge does not belong to the start.');
        this.#tree = tree;
        this.#start = tree.size;
        this.#lastCheckpoint = tree.size;
        this.#isOpen = true;
        this.#kept?.begin(tree);
    }

    #addRow(row: Row): void {
        const { data } = row;
        if (data.length !== row.count) throw new Fault('It was changed: its count is another.');
        const isEmptied = data.every((item) => Object.keys(item).length === 0);
        const isWhole = hash('sha256', dataText(data)) === row.data_sha256;
        if (!isWhole && !isEmptied) throw new Fault('It was changed: its data does not have the SHA-256.');
        this.#addLeaf(row, rowLeaf(row));
        this.#rows++;
        if (!isWhole) this.#countEmptied(row.account);
        if (row.type === 'account.erased' && !this.#erased.has(row.account))
            this.#erased.set(row.account, this.#tree.size - 1);
    }

    #countEmptied(account: string): void {
        const { rows, lines } = this.#emptied.get(account) ?? { rows: 0, lines: [] };
        if (lines.length < MAX_NAMED_LINES) lines.push(this.#lineNumber);
        this.#emptied.set(account, { rows: rows + 1, lines });
    }

    #addSeal(seal: Line<'seal'> & AuditedSeal): void {
        if (this.#unsealedFrom === undefined) throw new Fault('It seals no row: lines were removed, added or moved.');
        const from = this.#unsealedFrom;
        this.#addLeaf(seal, sealLeaf(seal));
        if (seal.root !== rootOf(this.#tree).toString('base64'))
            throw new Fault(`The root is another: it, or one of the lines from ${from} on, was changed.`);
        const { checkpoint } = seal;
        if (checkpoint >= this.#start && checkpoint > 0 && !this.#checkpoints.has(checkpoint))
            throw new Fault(`The line with the checkpoint of ${checkpoint} leaves is missing before it.`);
        this.#sealedAt = seal.sealed_at;
        this.#unsealedFrom = undefined;
    }

    #addLeaf({ leaf, hash }: Leaf, text: string): void {
        const { size } = this.#tree;
        if (this.#start > 0 && this.#checkpoints.size === 0) throw new Fault('The checkpoint before it is missing.');
        if (leaf !== size)
            throw new Fault(`It is leaf ${leaf}, where leaf ${size} must be: lines were removed, added or moved.`);
        const own = leafHash(text);
        if (own.toString('hex') !== hash) throw new Fault('It was changed: it does not have the hash.');
        this.#unsealedFrom ??= this.#lineNumber;
        this.#tree = grownTree(this.#tree, [own]);
        this.#kept?.grow(this.#tree);
    }

    #addCheckpoint({ size, note }: Line<'checkpoint'>): void {
        if (size !== this.#tree.size || this.#unsealedFrom !== undefined)
            throw new Fault(
                `It has ${size} leaves, but ${this.#tree.size} are before it: lines were removed or moved.`,
            );
        if (this.#checkpoints.has(this.#tree.size)) throw new Fault('It is there twice.');
        const trusted = this.#trusted.length > 0 ? this.#trusted : [...this.#signers];
        if (String(note).split(SIGNATURE).length > 2)
            throw new Fault('It was changed: it has more than one signature.');
        const { origin, ...signed } = checkpointOf(String(note), trusted);
        if (signed.size !== size) throw new Fault(`It was changed: ${signed.size} leaves are signed.`);
        if (!signed.root.equals(rootOf(this.#tree)))
            throw new Fault(`Another root is signed: one of the lines from ${this.#unsignedFrom + 1} on was changed.`);
        this.#signers.add(origin);
        this.#checkpoints.add(signed.size);
        this.#lastCheckpoint = signed.size;
        this.#signedUntil = this.#sealedAt;
        this.#unsignedFrom = this.#lineNumber;
    }

    #end({ size, checkpoint }: Line<'end'>): void {
        if (size !== this.#tree.size || this.#unsealedFrom !== undefined || checkpoint !== this.#lastCheckpoint)
            throw new Fault('Lines before it are missing or were added.');
        if (this.#checkpoints.size === 0)
            throw new Fault('No checkpoint is before it, so nobody has signed this. Export it again in an hour.');
        this.#kept?.end(this.#tree);
        this.#hasEnded = true;
    }
}

/** The first lines of rows of several accounts. */
function linesOf(accounts: ReadonlyArray<{ lines: readonly number[] }>): number[] {
    const lines = accounts.flatMap((of) => of.lines).sort((one, other) => one - other);
    return lines.slice(0, MAX_NAMED_LINES);
}

function rowsOf(accounts: Iterable<{ rows: number }>): number {
    let sum = 0;
    for (const { rows } of accounts) sum += rows;
    return sum;
}
