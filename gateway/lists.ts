import { z } from 'zod';
import { type CallContext, REQUEST_TIMEOUT_MS, requireTime } from '../platform/context.ts';
import { stringifyJson } from '../platform/json.ts';
import { MAX_PAGE_ROWS } from '../proto/limits.ts';
import { listPlaces } from './list-places.ts';

interface Page<Data> {
    rows: unknown[];
    next_cursor: string | undefined;
    total: number | undefined;
    /** The other members of `data`. Only the first page returns them. */
    head?: Partial<Data>;
}

interface PageRequest {
    limit: number;
    cursor: string | undefined;
    with_total: boolean;
}

/** The list that an endpoint returns: `data` is `{...head, [field]: rows, total}`. The engine reads page after page. */
export class ListAnswer<Data> {
    readonly field: keyof Data & string;
    /** True if `data` has a `total`. */
    readonly totals: boolean;
    readonly paging: { limit?: number | undefined; cursor?: string | undefined };
    readonly fetch: (page: PageRequest, context: CallContext) => Promise<Page<Data>>;

    constructor(
        options: Pick<ListAnswer<Data>, 'field' | 'paging' | 'fetch'> & Partial<Pick<ListAnswer<Data>, 'totals'>>,
    ) {
        this.field = options.field;
        this.totals = options.totals ?? true;
        this.paging = options.paging;
        this.fetch = options.fetch;
    }
}

/** The data to write: complete, or as pieces of JSON text that are read while earlier pieces are written. */
export type ListResult =
    | { data: Record<string, unknown>; next_cursor: string | undefined }
    | {
          pieces: AsyncIterable<string>;
          /** Gives the list's place back. Must be called when no more pieces are needed. */
          close(): void;
      };

/** Reads lists in pages, so that memory use does not depend on the length of a list. */
export function listReader() {
    const takePlace = listPlaces();

    return async (list: ListAnswer<unknown>, context: CallContext): Promise<ListResult> => {
        const { limit, cursor } = list.paging;
        if (limit !== undefined || cursor !== undefined) {
            const page = await list.fetch({ limit: limit ?? MAX_PAGE_ROWS, cursor, with_total: true }, context);
            return { data: dataOf(list, page, page.total ?? 0), next_cursor: page.next_cursor };
        }
        const leave = await takePlace(accountOf(context), context.cancellation);
        try {
            requireTime(context); // during the wait the deadline may have passed or the client disconnected
            const first = await list.fetch({ limit: MAX_PAGE_ROWS, cursor: undefined, with_total: false }, context);
            if (first.next_cursor !== undefined) {
                return { pieces: pieces(list, first, context), close: leave };
            }
            leave();
            return { data: dataOf(list, first, first.rows.length), next_cursor: undefined };
        } catch (error) {
            leave();
            throw error;
        }
    };
}

/** The list with the fields that its endpoint declares, of its rows and of its head. */
export function shownList({ shape }: z.ZodObject, list: ListAnswer<unknown>): ListAnswer<unknown> {
    const { element } = shape[list.field] as z.ZodArray; // the declared type of `field`
    const declared = (head: object) =>
        Object.entries(head).flatMap(([name, value]) => {
            const field = shape[name];
            return field ? [[name, z.parse(field, value)]] : [];
        });
    return new ListAnswer({
        ...list,
        async fetch(page, context) {
            const { rows, head, ...rest } = await list.fetch(page, context);
            const shown = rows.map((row) => z.parse(element, row));
            return { ...rest, rows: shown, ...(head && { head: Object.fromEntries(declared(head)) }) };
        },
    });
}

async function* pieces(list: ListAnswer<unknown>, first: Page<unknown>, context: CallContext) {
    let total = 0;
    let page = first;
    yield opening(list, first);
    for (;;) {
        const rows = page.rows.map(stringifyJson).join(',');
        if (rows !== '') yield total === 0 ? rows : `,${rows}`;
        total += page.rows.length;
        if (page.next_cursor === undefined) break;
        // Each page has the time limit of a call. The list as a whole has none, because its duration depends on the
        // reader.
        const deadline = performance.now() + REQUEST_TIMEOUT_MS;
        const next = { limit: MAX_PAGE_ROWS, cursor: page.next_cursor, with_total: false };
        page = await list.fetch(next, { ...context, deadline });
    }
    yield list.totals ? `],"total":${total}}` : ']}';
}

function dataOf({ field, totals }: ListAnswer<unknown>, { head, rows }: Page<unknown>, total: number) {
    return { ...head, [field]: rows, total: totals ? total : undefined };
}

/** The JSON text of the data, up to the first row. */
function opening({ field }: ListAnswer<unknown>, { head = {} }: Page<unknown>): string {
    const before = stringifyJson(head).slice(0, -1);
    return `${before}${before === '{' ? '' : ','}${JSON.stringify(field)}:[`;
}

/** The account whose lists are counted together. Lists of trusted callers are not counted. */
function accountOf({ trusted, user_id }: CallContext): string | undefined {
    return trusted ? undefined : user_id;
}
