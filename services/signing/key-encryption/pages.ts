/** Maximum number of rows that `npm run keys:rewrap` has in memory. Beyond it: the next ones wait. */
const PAGE_ROWS = 500;

/** Which rows of a table are read next: up to `limit`, in the order of their ids, after this one if there is one. */
export interface PageRange {
    after: string | undefined;
    limit: number;
}

/** Reads all rows of a table, page after page, while others change it. */
export async function* pages<Row extends { id: string }>(
    read: (range: PageRange) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
    let after: string | undefined;
    for (;;) {
        const page = await read({ after, limit: PAGE_ROWS });
        const last = page.at(-1);
        if (!last) return;
        yield page;
        after = last.id;
    }
}
