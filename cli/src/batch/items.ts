import { CliError } from '../errors.ts';
import { parseObject } from '../json-input.ts';
import { rowsOf } from './csv.ts';
import { type Input, linesOf, nameOf } from './lines.ts';

export type Fields = Record<string, unknown>;

/** An item of the input. */
export interface Item {
    /** The line of the input on which it begins. */
    line: number;
    /** The fields of the item in a request. */
    fields: Fields;
}

/** How a batch reads its items. */
export interface Reader {
    /** The item of a line of NDJSON. Throws CliError whose message begins with `where`. */
    fromObject(object: Fields, where: string): Fields;
    /** The item of a row of CSV. */
    fromCells(cells: ReadonlyArray<readonly [string, string]>, where: string): Fields;
}

/** Reads the items of a file one by one: CSV if its name ends in `.csv`, otherwise NDJSON. */
export async function* itemsOf(input: Input, reader: Reader): AsyncGenerator<Item> {
    const path = nameOf(input);
    if (/\.csv$/i.test(path)) {
        for await (const { number, cells } of rowsOf(input)) {
            const where = `Line ${number} of ${path}`;
            // The service would refuse the whole request.
            if (cells.some(([, value]) => value.includes('\u0000')))
                throw new CliError(`${where} has a NUL character.`);
            yield { line: number, fields: reader.fromCells(cells, where) };
        }
        return;
    }
    for await (const { number, text } of linesOf(input)) {
        if (text.trim() === '') continue;
        const where = `Line ${number} of ${path}`;
        yield { line: number, fields: reader.fromObject(parseObject(text, where), where) };
    }
}

const ISSUE_FIELDS = [
    ...['subject_did', 'credential_type', 'claims', 'expiration_date'],
    ...['format', 'vct', 'disclosable', 'holder_key', 'holder_did_url'],
];
const CLAIM_PREFIX = 'claims.';

export const ISSUING: Reader = {
    fromObject(object, where) {
        // A field that is misspelt would be ignored, and the credential would never expire.
        const unknown = Object.keys(object).find((name) => !ISSUE_FIELDS.includes(name));
        if (unknown === undefined) return object;
        throw new CliError(`${where} has the unknown field ${unknown}: use ${ISSUE_FIELDS.join(', ')}.`);
    },
    fromCells(cells, where) {
        const own = new Map(cells.filter(([column]) => ISSUE_FIELDS.includes(column)));
        if (own.has('claims')) throw new CliError(`${where}: give each claim a column of its own, instead of claims.`);
        for (const name of ['subject_did', 'credential_type']) {
            if (!own.has(name)) throw new CliError(`${where}: there is no column ${name}.`);
        }
        if (own.get('expiration_date') === '') own.delete('expiration_date');
        const claims = cells
            .filter(([column]) => !ISSUE_FIELDS.includes(column))
            .map(([column, value]): [string, string] => [claimOf(column, where), value]);
        return { ...Object.fromEntries(own), claims: Object.fromEntries(claims) };
    },
};

/** The claim in a column. The name of a column that is misspelt is no claim. */
function claimOf(column: string, where: string): string {
    if (column.startsWith(CLAIM_PREFIX) && column !== CLAIM_PREFIX) return column.slice(CLAIM_PREFIX.length);
    throw new CliError(
        `${where} has the unknown column ${column}: use subject_did, credential_type, expiration_date, or claims.NAME for a claim.`,
    );
}

/** Reads some fields and ignores all others, so that the results of another batch can be the input. */
export function picking(needed: string, optional: string): Reader {
    const pick = (fields: Fields, where: string): Fields => {
        if (typeof fields[needed] !== 'string') throw new CliError(`${where} has no ${needed}.`);
        return { [needed]: fields[needed], ...(fields[optional] ? { [optional]: fields[optional] } : {}) };
    };
    return { fromObject: pick, fromCells: (cells, where) => pick(Object.fromEntries(cells), where) };
}
