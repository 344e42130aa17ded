import { invalid } from '../platform/errors.ts';
import { countWithin } from '../platform/gather.ts';
import { MAX_PAGE_ROWS } from '../proto/limits.ts';
import type { Cursors, ListScope } from './cursors.ts';

export function requireLimit(limit: number): void {
    if (limit < 1 || limit > MAX_PAGE_ROWS) throw invalid(`limit must be 1 to ${MAX_PAGE_ROWS}.`);
}

/**
 * Estimated size at which a page ends, in bytes. It keeps an answer to the gateway below 2 MiB. Beyond it: the page has
 * a cursor.
 */
const MAX_PAGE_BYTES = 1_500_000;

/** A page of a list whose rows have UUIDs. */
interface Listing<Row> {
    cursors: Cursors;
    scope: ListScope;
    idOf(row: Row): string;
    /** The greatest number of bytes of the long texts of a row. Without it, a page of any rows is small enough. */
    bytesOf?(row: Row): number;
    /** Reads up to `limit` rows that follow the row `before`; without one, those at the beginning of the list. */
    rows(range: { before: string | undefined; limit: number }): Promise<readonly Row[]>;
}

/**
 * Returns the page of a list that a request asks for, and the cursor of the next page if there is one. Throws AppError
 * `invalid` for a limit or a cursor that is none.
 */
export async function onePage<Row>(
    { limit, cursor }: { limit: number; cursor?: string | undefined },
    { cursors, scope, idOf, bytesOf = () => 0, rows }: Listing<Row>,
): Promise<{ page: readonly Row[]; next_cursor: string | undefined }> {
    requireLimit(limit);
    const before = cursor === undefined ? undefined : cursors.open(cursor, scope);
    const found = await rows({ before, limit: limit + 1 });
    const size = { of: (row: Row) => bytesOf(row) + 200, max: MAX_PAGE_BYTES }; // ids, times and field headers take less
    const page = found.slice(0, countWithin(found, size, Math.min(limit, found.length)));
    const last = page.length < found.length ? page.at(-1) : undefined;
    return { page, next_cursor: last && cursors.seal(idOf(last), scope) };
}

/**
 * Returns the length of the whole list if the caller asks for it. The rows are counted only if the page is not the
 * whole list.
 */
export async function totalOf(
    { cursor, with_total }: { cursor?: string | undefined; with_total: boolean },
    page: { rows: number; more: boolean },
    count: () => Promise<number>,
): Promise<number | undefined> {
    if (!with_total) return undefined;
    return cursor === undefined && !page.more ? page.rows : count();
}
