import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';

/** Maximum number of keys of one statement. It bounds the locks and the duration of the statement. */
const RELEASED_ROWS = 1_000;

/** Expired keys no longer count as active ones: of one account, or of all. `now` is ISO 8601. */
export async function releaseExpired(
    db: Database,
    { account, now }: { account?: string; now: string },
    lifetime?: CallLifetime,
): Promise<void> {
    const own = account === undefined ? sql.fragment`` : sql.fragment`AND account = ${account}`;
    const statement = sql.unsafe`
        WITH written AS (
            UPDATE keys.keys SET counted = false WHERE key_id IN (
                SELECT key_id FROM keys.keys
                WHERE expires_at <= ${now} AND counted AND revoked_at IS NULL ${own}
                ORDER BY expires_at LIMIT ${RELEASED_ROWS} FOR UPDATE SKIP LOCKED)
            RETURNING account
        ), ended AS (
            SELECT account, count(*) AS number FROM written GROUP BY account
        ), freed AS (
            UPDATE keys.accounts AS accounts SET active_keys = active_keys - number
            FROM ended WHERE accounts.account = ended.account
        )
        ${appendPendingCounts('api_keys_active', -1)}
        RETURNING 1`;
    while ((await db.rows(statement, 'keys_release', lifetime)).length > 0);
}
