import { sql } from '../../platform/postgres/db.ts';

/**
 * The services that count. Each has, in its schema, the tables `deltas` (pending counts) and `totals` (rolled up). The
 * kinds of counts of two services never have the same name.
 */
export const COUNTING = ['identity', 'keys', 'did', 'credentials', 'presentations', 'wallet', 'usage'] as const;
export type Counting = (typeof COUNTING)[number];

/** The kinds of rows that are counted for an account, and who counts them. */
export const COUNTED_BY = {
    dids_created: 'did',
    credentials_issued: 'credentials',
    credentials_revoked: 'credentials',
    presentations_created: 'presentations',
    api_keys_active: 'keys',
    wallets: 'wallet',
    wallet_credentials: 'wallet',
    wallet_bytes: 'wallet',
} as const satisfies Record<string, Counting>;
export type CountedKind = keyof typeof COUNTED_BY;

/** The table of a service's pending counts. */
export function deltasOf(service: Counting) {
    return sql.identifier([service, 'deltas']);
}

/** The table of a service's rolled-up counts. */
export function totalsOf(service: Counting) {
    return sql.identifier([service, 'totals']);
}

/**
 * Returns the end of a statement whose CTE `written` has the written rows, with a column `account`. It appends their
 * pending counts in the same transaction. `amount`: an aggregate over the rows of an account. `which`: the
 * rows that count.
 */
export function appendPendingCounts(
    kind: CountedKind,
    { amount = sql.fragment`count(*)`, which = sql.fragment`true` } = {},
) {
    return sql.fragment`
        INSERT INTO ${deltasOf(COUNTED_BY[kind])} (account, kind, day, amount)
        SELECT account, ${kind}, (now() AT TIME ZONE 'UTC')::date, ${amount}
        FROM written WHERE ${which} GROUP BY account`;
}

/**
 * Like appendPendingCounts, for accounts by their column `tier`: new ones, or with another amount erased ones. They count
 * for the platform only.
 */
export function appendUserCounts(amount = sql.fragment`count(*)`) {
    return sql.fragment`
        INSERT INTO ${deltasOf('identity')} (account, kind, day, amount)
        SELECT NULL, 'users_' || tier, (now() AT TIME ZONE 'UTC')::date, ${amount} FROM written GROUP BY tier`;
}
