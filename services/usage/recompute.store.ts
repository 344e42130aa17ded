import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { PLATFORM } from './store.ts';

/** A count that differs from the number of rows that it should equal. */
const drift = z.strictObject({ account: z.string(), kind: z.string(), counted: z.number(), rows: z.number() });
export type Drift = z.infer<typeof drift>;

/**
 * Counts all rows behind the statistics, in one snapshot with the counts, and returns the differences. There are none
 * unless something is broken. It reads the tables of every service, which takes long if they are large.
 */
export async function findDrift(db: Database): Promise<readonly Drift[]> {
    return db.rows(sql.type(drift)`
        WITH owned AS (
            SELECT account, 'dids_created' AS kind, count(*) AS rows FROM did.dids WHERE origin <> 'wallet' GROUP BY 1
            UNION ALL
            SELECT account, 'credentials_issued', count(*) FROM credentials.credentials GROUP BY 1
            UNION ALL
            SELECT account, 'credentials_revoked', count(*) FROM credentials.credentials
            WHERE revoked_at IS NOT NULL GROUP BY 1
            UNION ALL
            SELECT account, 'presentations_created', count(*) FROM presentations.presentations GROUP BY 1
            UNION ALL
            SELECT account, 'api_keys_active', count(*) FROM keys.keys WHERE revoked_at IS NULL AND counted GROUP BY 1
            UNION ALL
            SELECT account, 'wallets', count(*) FROM wallet.wallets GROUP BY 1
            UNION ALL
            SELECT account, 'wallet_credentials', count(*)
            FROM wallet.credentials AS entries JOIN wallet.wallets ON wallets.id = entries.wallet GROUP BY 1
            UNION ALL
            SELECT account, 'wallet_bytes', sum(octet_length(sealed))
            FROM wallet.credentials AS entries JOIN wallet.wallets ON wallets.id = entries.wallet GROUP BY 1
            UNION ALL
            SELECT NULL, 'users_' || tier, count(*) FROM identity.users GROUP BY tier
        ), expected AS (
            SELECT account, kind, rows FROM owned WHERE account IS NOT NULL
            UNION ALL
            SELECT ${PLATFORM}::uuid, kind, sum(rows) FROM owned GROUP BY kind
        ), parts AS (
            SELECT account, kind, amount FROM usage.totals
            UNION ALL
            SELECT account, kind, amount FROM usage.deltas WHERE account IS NOT NULL
            UNION ALL
            SELECT ${PLATFORM}::uuid, kind, amount FROM usage.deltas
        ), counted AS (
            SELECT account, kind, sum(amount) AS counted FROM parts
            WHERE kind NOT IN ('requests', 'rate_limit_hits', 'presentations_verified', 'logins') GROUP BY account, kind
        )
        SELECT account, kind, coalesce(counted, 0)::bigint AS counted, coalesce(rows, 0)::bigint AS rows
        FROM expected FULL JOIN counted USING (account, kind)
        WHERE coalesce(counted, 0) <> coalesce(rows, 0)
        ORDER BY kind, account`);
}
