import { sql } from '../platform/postgres/db.ts';

/** What written rows can count for an account. */
export type CountedKind =
    | 'dids_created'
    | 'credentials_issued'
    | 'credentials_revoked'
    | 'presentations_created'
    | 'api_keys_active'
    | 'wallets'
    | 'wallet_credentials'
    | 'logins';

/** The end of a statement whose `written` rows have a column `account`: it counts them in the same transaction. */
export function appendPendingCounts(kind: CountedKind, sign: 1 | -1 = 1) {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT account, ${kind}, (now() AT TIME ZONE 'UTC')::date, ${sign} * count(*) FROM written GROUP BY account`;
}

/** The same for new accounts, by their column `tier`. They count for the platform only. */
export function appendUserDeltas() {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT NULL, 'users_' || tier, (now() AT TIME ZONE 'UTC')::date, count(*) FROM written GROUP BY tier`;
}
