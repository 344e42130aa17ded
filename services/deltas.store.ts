import { sql } from '../platform/db.ts';

/** What is counted for an account by the rows that are written. */
export type CountedKind =
    | 'dids_created'
    | 'credentials_issued'
    | 'credentials_revoked'
    | 'presentations_created'
    | 'api_keys_active'
    | 'wallets'
    | 'wallet_credentials';

/** The end of a statement whose `written` rows have a column `account`: counts them, in the transaction that writes them. */
export function appendDeltas(kind: CountedKind, sign: 1 | -1 = 1) {
    return sql.fragment`
        INSERT INTO usage.deltas (account, kind, month, amount)
        SELECT account, ${kind}, date_trunc('month', now() AT TIME ZONE 'UTC')::date, ${sign} * count(*)
        FROM written GROUP BY account`;
}
