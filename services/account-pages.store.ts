import { sql } from '../platform/postgres/db.ts';

/** Ids that are smaller and greater than the id of any row. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The rows of an account below an id; without one, the newest ones. */
export interface AccountPage {
    account: string;
    before: string | undefined;
    limit: number;
}

/**
 * The end of a statement that reads such a page of a table, newest first: one range of an index of (account, id). It
 * compares tuples. With `account = …` PostgreSQL could choose to scan the ids of all accounts.
 */
export function accountPage({ account, before = LAST_ID, limit }: AccountPage) {
    return sql.fragment`
        WHERE (account, id) > (${account}, ${FIRST_ID}) AND (account, id) < (${account}, ${before})
        ORDER BY account DESC, id DESC LIMIT ${limit}`;
}
