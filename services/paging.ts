import { invalid } from '../platform/errors.ts';
import { MAX_PAGE_ROWS } from '../proto/limits.ts';

export function requireLimit(limit: number): void {
    if (limit < 1 || limit > MAX_PAGE_ROWS) throw invalid(`limit must be 1 to ${MAX_PAGE_ROWS}.`);
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
