import { type Database, sql } from '../../platform/db.ts';

/** Days of activity that are kept: a week is asked for. */
const DAYS_KEPT = 10;
/** Rows removed by one statement: bounds its locks and its time. */
const PRUNE_ROWS = 10_000;

/**
 * Removes what no answer needs any more: days of activity of long ago, and request counts of earlier months, which are in the
 * totals; of each bucket the newest row stays, for its last use. Returns how many rows went.
 */
export async function pruneUsage(db: Database): Promise<number> {
    let removed = 0;
    for (;;) {
        const [row] = await db.rows<{ removed: number }>(sql.unsafe`
            WITH old_days AS (
                DELETE FROM usage.days WHERE (day, account) IN (
                    SELECT day, account FROM usage.days
                    WHERE day < (now() AT TIME ZONE 'UTC')::date - ${DAYS_KEPT}::int LIMIT ${PRUNE_ROWS})
                RETURNING 1
            ), old_requests AS (
                DELETE FROM usage.requests WHERE (bucket, day, life) IN (
                    SELECT bucket, day, life FROM usage.requests AS old
                    WHERE day < date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 days'
                      AND EXISTS (SELECT FROM usage.requests AS newer
                                  WHERE newer.bucket = old.bucket AND (newer.day, newer.life) > (old.day, old.life))
                    LIMIT ${PRUNE_ROWS})
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM old_days) + (SELECT count(*) FROM old_requests) AS removed`);
        if (!row?.removed) return removed;
        removed += row.removed;
    }
}
