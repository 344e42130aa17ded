import { type CallContext, REQUEST_TIMEOUT_MS } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { stringifyJson } from '../platform/json.ts';
import { MAX_PAGE_ROWS } from '../proto/limits.ts';

/** Lists of more than one page that an account may have under way at once. */
const LONG_LISTS_PER_ACCOUNT = 2;

export interface Page<Row> {
    rows: Row[];
    next_cursor: string | undefined;
    total: number | undefined;
}

interface PageRequest {
    limit: number;
    cursor: string | undefined;
    with_total: boolean;
}

/** A list as an endpoint answers it: `data` is `{...head, [field]: rows, total}`. The engine reads the pages. */
export class ListAnswer<Data> {
    readonly field: keyof Data & string;
    /** What `data` holds beside the list. */
    readonly head: Partial<Data>;
    /** Whether `data` has a `total`. */
    readonly totals: boolean;
    readonly paging: { limit?: number | undefined; cursor?: string | undefined };
    readonly fetch: (page: PageRequest, context: CallContext) => Promise<Page<unknown>>;

    constructor(
        options: Pick<ListAnswer<Data>, 'field' | 'paging' | 'fetch'> &
            Partial<Pick<ListAnswer<Data>, 'head' | 'totals'>>,
    ) {
        this.field = options.field;
        this.head = options.head ?? {};
        this.totals = options.totals ?? true;
        this.paging = options.paging;
        this.fetch = options.fetch;
    }
}

/** What to write: whole data, or pieces of its JSON text that are read while they are written. */
export type ListResult =
    | { data: Record<string, unknown>; next_cursor: string | undefined }
    | { pieces: AsyncIterable<string> };

/** The lists of more than one page that each account has under way. */
function longLists() {
    const counts = new Map<string, number>();
    return {
        enter(account: string | undefined): void {
            if (account === undefined) return;
            const count = counts.get(account) ?? 0;
            if (count >= LONG_LISTS_PER_ACCOUNT) {
                throw new AppError(
                    'rate_limited',
                    `Limit of ${LONG_LISTS_PER_ACCOUNT} whole lists at a time exceeded. Try again in 1 seconds, or page with limit and cursor.`,
                    { retry_after: 1 },
                );
            }
            counts.set(account, count + 1);
        },
        leave(account: string | undefined): void {
            if (account === undefined) return;
            const count = counts.get(account) ?? 0;
            if (count > 1) counts.set(account, count - 1);
            else counts.delete(account);
        },
    };
}

/** Reads lists in pages, so that memory stays flat however long they are. */
export function listReader() {
    const { enter, leave } = longLists();

    async function* pieces(
        list: ListAnswer<unknown>,
        first: Page<unknown>,
        { context, account }: { context: CallContext; account: string | undefined },
    ) {
        let total = 0;
        let page = first;
        try {
            yield opening(list);
            for (;;) {
                const rows = page.rows.map(stringifyJson).join(',');
                if (rows !== '') yield total === 0 ? rows : `,${rows}`;
                total += page.rows.length;
                if (page.next_cursor === undefined) break;
                // Each page has the time of a call: how long the whole takes is up to the reader.
                const deadline = performance.now() + REQUEST_TIMEOUT_MS;
                const next = { limit: MAX_PAGE_ROWS, cursor: page.next_cursor, with_total: false };
                page = await list.fetch(next, { ...context, deadline });
            }
            yield list.totals ? `],"total":${total}}` : ']}';
        } finally {
            leave(account);
        }
    }

    return async (list: ListAnswer<unknown>, context: CallContext): Promise<ListResult> => {
        const { limit, cursor } = list.paging;
        if (limit !== undefined || cursor !== undefined) {
            const page = await list.fetch({ limit: limit ?? MAX_PAGE_ROWS, cursor, with_total: true }, context);
            return { data: dataOf(list, page.rows, page.total ?? 0), next_cursor: page.next_cursor };
        }
        const first = await list.fetch({ limit: MAX_PAGE_ROWS, cursor: undefined, with_total: false }, context);
        if (first.next_cursor === undefined) {
            return { data: dataOf(list, first.rows, first.rows.length), next_cursor: undefined };
        }
        // A shorter page ends where it grew large: such a list is long in bytes alone, and a wallet's at that.
        const account = first.rows.length < MAX_PAGE_ROWS ? undefined : accountOf(context);
        enter(account);
        return { pieces: pieces(list, first, { context, account }) };
    };
}

function dataOf({ head, field, totals }: ListAnswer<unknown>, rows: unknown[], total: number) {
    return { ...head, [field]: rows, total: totals ? total : undefined };
}

/** The JSON text of the data, up to the first row. */
function opening({ head, field }: ListAnswer<unknown>): string {
    const before = stringifyJson(head).slice(0, -1);
    return `${before}${before === '{' ? '' : ','}${JSON.stringify(field)}:[`;
}

/** Whose lists are counted together; those of trusted callers are not. */
function accountOf({ trusted, user_id }: CallContext): string | undefined {
    return trusted ? undefined : user_id;
}
