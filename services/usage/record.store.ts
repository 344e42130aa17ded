import { NIL_ID } from '../../platform/ids.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import type { RecordRequestsRequest } from '../../proto/gen/usage/v1/usage.ts';

const TYPES = ['uuid', 'uuid', 'int8', 'int8', 'int8', 'int8', 'timestamptz'];

/**
 * Adds the counts of a batch, unless it was added before. Those of accounts are pending counts, so callers do not wait for
 * each other. Those of keys are added at once, in the order of their ids, so that two batches do not deadlock.
 */
export async function recordRequests(db: Database, { batch_id, day, counts }: RecordRequestsRequest): Promise<void> {
    const tuples = counts.map(({ account, key_id = null, requests, refused, verified, logins, last_used_at_ms }) => [
        account === NIL_ID ? null : account,
        key_id,
        requests,
        refused,
        verified,
        logins,
        new Date(last_used_at_ms).toISOString(),
    ]);
    const monthOf = (date: ReturnType<typeof sql.fragment>) => sql.fragment`date_trunc('month', ${date}::timestamp)`;
    const [known, added] = [monthOf(sql.fragment`known.day`), monthOf(sql.fragment`excluded.day`)];
    await db.rows(sql.unsafe`
        WITH batch AS (
            INSERT INTO usage.batches (id) VALUES (${batch_id}) ON CONFLICT DO NOTHING RETURNING ${day}::date AS day
        ), counted AS (
            SELECT * FROM batch, ${sql.unnest(tuples, TYPES)}
                AS counted (account, key_id, requests, refused, verified, logins, last_used_at)
        ), used AS (
            INSERT INTO usage.keys AS known (key_id, account, last_used_at, day, requests_of_day, requests_of_month)
            SELECT key_id, account, last_used_at, day, requests, requests FROM counted
            WHERE key_id IS NOT NULL AND requests > 0 ORDER BY key_id
            ON CONFLICT (key_id) DO UPDATE SET
                last_used_at = greatest(known.last_used_at, excluded.last_used_at),
                day = greatest(known.day, excluded.day),
                requests_of_day = CASE WHEN excluded.day >= known.day THEN excluded.requests_of_day ELSE 0 END
                    + CASE WHEN known.day >= excluded.day THEN known.requests_of_day ELSE 0 END,
                requests_of_month = CASE WHEN ${added} >= ${known} THEN excluded.requests_of_month ELSE 0 END
                    + CASE WHEN ${known} >= ${added} THEN known.requests_of_month ELSE 0 END
        )
        INSERT INTO usage.deltas (account, kind, day, amount)
        SELECT account, kind, day, sum(amount)
        FROM counted CROSS JOIN LATERAL (VALUES
            ('requests', requests), ('rate_limit_hits', refused), ('presentations_verified', verified), ('logins', logins)
        ) AS kinds (kind, amount)
        GROUP BY account, kind, day HAVING sum(amount) > 0`);
}
