import { type Database, sql } from '../../platform/db.ts';

/** Days of activity that are kept: a week is asked for. */
const DAYS_KEPT = 10;
/** The limiter's record of a bucket knows a day for so long after it, and the count of it must not be taken for a new one. */
const COUNTED_LATE = sql.fragment`interval '3 days'`;
/** Rows removed by one statement: bounds its locks and its time. */
const PRUNE_ROWS = 10_000;

/** The month (its first day) under which a total of all months that are not told apart any more stands. */
const EARLIER = '0001-01-01';

/**
 * Removes what no answer needs any more: days of activity of long ago, and request counts of earlier months, which are in the
 * totals; of each bucket the newest row stays, for its last use. Totals of earlier months become one. Returns how many rows
 * went.
 */
export async function pruneUsage(db: Database): Promise<number> {
    return (await removeOld(db)) + (await mergeTotals(db));
}

async function removeOld(db: Database): Promise<number> {
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
                    WHERE day < date_trunc('month', now() AT TIME ZONE 'UTC') - ${COUNTED_LATE}
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

async function mergeTotals(db: Database): Promise<number> {
    let merged = 0;
    for (;;) {
        const [row] = await db.rows<{ merged: number }>(sql.unsafe`
            WITH old AS (
                DELETE FROM usage.totals WHERE (account, kind, month) IN (
                    SELECT account, kind, month FROM usage.totals
                    WHERE month > ${EARLIER}::date AND month < date_trunc('month', now() AT TIME ZONE 'UTC' - ${COUNTED_LATE})
                    LIMIT ${PRUNE_ROWS})
                RETURNING account, kind, amount
            ), added AS (
                INSERT INTO usage.totals (account, kind, month, amount)
                SELECT account, kind, ${EARLIER}::date, sum(amount) FROM old GROUP BY account, kind
                ON CONFLICT (account, kind, month) DO UPDATE SET amount = totals.amount + excluded.amount
            )
            SELECT count(*) AS merged FROM old`);
        if (!row?.merged) return merged;
        merged += row.merged;
    }
}
