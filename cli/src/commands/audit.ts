import type { Checkpoint } from '../../../platform/transparency/signed-note.ts';
import { AuditFile } from '../audit/audit-file.ts';
import { checkpointOf } from '../audit/checkpoint.ts';
import { Fault } from '../audit/fault.ts';
import { KeptCheckpoint } from '../audit/kept-checkpoint.ts';
import { lineOf } from '../audit/line.ts';
import { exactLinesOf, LineError, linesOf } from '../batch/lines.ts';
import { written } from '../batch/results.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { textArgument } from '../input.ts';
import { fieldsReport, type Report } from '../report.ts';
import { fieldLines } from '../terminal/text.ts';
import { SECRET_FILE, trusted } from '../trusted.ts';
import { intoFile, writeLines } from './export.ts';

/** Longest line of an audit, in bytes: a row has up to 1,000 events. */
const MAX_AUDIT_LINE_BYTES = 4 << 20;
/** How a line with a checkpoint begins. */
const CHECKPOINT_LINE = '{"kind":"checkpoint",';
const DID_KEY = /did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}(?![1-9A-HJ-NP-Za-km-z])/;

export const auditExport = command({
    name: 'audit export',
    summary: 'Export the events of all accounts as an audit, as a trusted caller',
    details:
        'Prints lines of JSON that "cred audit verify" checks. Needs the internal secret of the service, in CRED_INTERNAL_SECRET or in the file of --secret-file.',
    options: {
        from: { value: 'TIME', summary: 'Begin at the last checkpoint before this time' },
        to: { value: 'TIME', summary: 'End with what was sealed at this time' },
        output: { value: 'FILE', summary: 'A new file, which only you can read; else standard output', file: true },
        'secret-file': SECRET_FILE,
    },
    examples: [{ line: 'cred audit export --from 2026-11-01T00:00:00Z --output november.ndjson' }],
    async run({ options: { from, to, output, 'secret-file': file }, world, url }) {
        const { admin } = trusted(world, url, file).internal;
        const lines = () => admin.audit({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
        if (output === undefined) {
            await writeLines(lines(), (text) => written(world.stdout, text));
            return {};
        }
        const { size, checkpoint } = await intoFile(output, (write) => writeLines(lines(), write));
        return fieldsReport({ file: output, size, checkpoint }, { file: output, leaves: size, signed: checkpoint });
    },
});

export const auditVerify = command({
    name: 'audit verify',
    summary: 'Verify an audit on this machine, without the service',
    details:
        'Exits with 0 if it is whole and signed, and with 1 if a line was changed, removed, added or moved: then it names the line. What comes after the last checkpoint (unsigned_leaves) is not proven yet; nor are rows without data whose account.erased comes after it (unproven_rows, on the lines unproven_lines). Without --issuer, the issuer that the first checkpoint names is taken: then look at it. Whoever has the key could write another audit: keep the earlier ones, and name the last of them with --checkpoint.',
    positionals: { file: { summary: 'The audit' } },
    options: {
        issuer: {
            value: 'DID',
            summary: 'DID of the service, which signs its status lists, too; or @FILE with it or its document',
            repeatable: true,
        },
        checkpoint: {
            value: 'FILE',
            summary: 'An earlier audit, or its last line with a checkpoint: the audit must contain what it has signed',
            file: true,
        },
        'accept-erased': {
            summary: 'Accept rows without data whose account.erased is not in the audit, as in a part of it',
        },
    },
    examples: [
        { line: 'cred audit verify november.ndjson --issuer did:key:z6Mk…' },
        { line: 'cred audit verify december.ndjson --checkpoint november.ndjson' },
    ],
    async run({ args: { file: path }, options: { issuer: given, checkpoint: kept, 'accept-erased': accepts }, world }) {
        const issuers = await Promise.all(given.map(async (text) => didIn(await textArgument(text, 'a DID', world))));
        const checkpoint = kept === undefined ? undefined : await lastCheckpoint(kept, issuers);
        const trusted = issuers.length > 0 || !checkpoint ? issuers : [checkpoint.origin];
        const audit = new AuditFile(trusted, checkpoint && new KeptCheckpoint(checkpoint));
        let number = 0;
        try {
            for await (const { text, number: at, complete } of exactLinesOf(path, MAX_AUDIT_LINE_BYTES)) {
                number = at;
                if (!complete) throw new Fault('It was cut off: no line feed ends it.');
                audit.read(text);
            }
            number++;
            return wholeReport(audit.end(), accepts);
        } catch (error) {
            if (error instanceof Fault) return faultReport(number, error.message);
            if (error instanceof LineError) return faultReport(error.number, `It is ${error.reason}.`);
            throw error;
        }
    },
});

/** The last checkpoint in the lines of a file. */
async function lastCheckpoint(path: string, issuers: readonly string[]): Promise<Checkpoint> {
    let last: string | undefined;
    for await (const { text } of linesOf(path, MAX_AUDIT_LINE_BYTES)) if (text.startsWith(CHECKPOINT_LINE)) last = text;
    if (last === undefined) throw new CliError('--checkpoint must be a file with a line that has a checkpoint.');
    try {
        const { note } = lineOf(last).line as { note: unknown };
        return checkpointOf(String(note), issuers);
    } catch (error) {
        throw error instanceof Fault ? new CliError(`The checkpoint in ${path}: ${error.message}`) : error;
    }
}

function didIn(text: string): string {
    const [did] = DID_KEY.exec(text) ?? [];
    if (did === undefined) throw new CliError('--issuer must be the did:key of the service, or a file with it.');
    return did;
}

function wholeReport(shown: ReturnType<AuditFile['end']>, acceptsErased: boolean): Report {
    const { unexplained_rows: rows, unexplained_lines: lines, unproven_lines: unproven } = shown;
    const [first] = lines;
    if (first !== undefined && !acceptsErased)
        return faultReport(
            first,
            `Rows without data that no account.erased explains: ${rows}, on the lines ${listOf(lines, rows)}. If the event is outside this audit, use --accept-erased.`,
        );
    const fields = {
        ...shown,
        unexplained_lines: listOf(lines, rows),
        unproven_lines: listOf(unproven, shown.unproven_rows),
    };
    return { data: { valid: true, ...shown }, good: true, lines: ['valid', ...fieldLines(fields)] };
}

/** The first lines of some rows, as text; undefined if there are none. */
function listOf(lines: readonly number[], rows: number): string | undefined {
    return lines.length > 0 ? `${lines.join(', ')}${rows > lines.length ? ', …' : ''}` : undefined;
}

function faultReport(line: number, fault: string): Report {
    return { data: { valid: false, line, fault }, good: false, lines: [`NOT valid: line ${line}. ${fault}`] };
}
