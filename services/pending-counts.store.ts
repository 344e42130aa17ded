import { sql } from '../platform/postgres/db.ts';

/** The kinds of rows that are counted for an account. */
export type CountedKind =
    | 'dids_created'
    | 'credentials_issued'
    | 'credentials_revoked'
    | 'presentations_created'
    | 'api_keys_active'
    | 'wallets'
    | 'wallet_credentials'
    | 'wallet_bytes'
    | 'logins';

/**
 * Returns the end of a statement whose CTE `written` has the written rows, with a column `account`. It appends their
 * pending counts in the same transaction. `amount`: an aggregate over the rows of an account. `which`: the rows that
 * count.
 */
export function appendPendingCounts(
    kind: CountedKind,
    { amount = sql.fragment`count(*)`, which = sql.fragment`true` } = {},
) {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT account, ${kind}, (now() AT TIME ZONE 'UTC')::date, ${amount}
        FROM written WHERE ${which} GROUP BY account`;
}

/** Like appendPendingCounts, for new accounts by their column `tier`. These count for the platform only. */
export function appendUserCounts() {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT NULL, 'users_' || tier, (now() AT TIME ZONE 'UTC')::date, count(*) FROM written GROUP BY tier`;
}
