import { sql } from '../platform/db.ts';

/** What is counted for an account by the rows that are written. */
export type CountedKind =
    | 'dids_created'
    | 'credentials_issued'
    | 'credentials_revoked'
    | 'presentations_created'
    | 'api_keys_active'
    | 'wallets'
    | 'wallet_credentials'
    | 'logins';

/** The end of a statement whose `written` rows have a column `account`: counts them, in the transaction that writes them. */
export function appendDeltas(kind: CountedKind, sign: 1 | -1 = 1) {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT account, ${kind}, (now() AT TIME ZONE 'UTC')::date, ${sign} * count(*) FROM written GROUP BY account`;
}

/** The same for new accounts, by their column `tier`: they count for the platform alone. */
export function appendUserDeltas() {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT NULL, 'users_' || tier, (now() AT TIME ZONE 'UTC')::date, count(*) FROM written GROUP BY tier`;
}
