import { OLDEST_DAY } from '../../platform/access/limit-record.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';

/** Number of days of activity that are kept. Statistics cover a week. */
const DAYS_KEPT = 10;
/**
 * Number of days whose recorded counts are still compared with the limiter's records. Without its recorded part, a
 * count would be added a second time. This is one day more than a record covers, because midnight may pass while
 * records are read.
 */
const COMPARED_DAYS = OLDEST_DAY + 1;
/** Maximum number of rows that one statement removes. It bounds the locks and the duration of the statement. */
const PRUNE_ROWS = 10_000;

/** The month (its first day) that stands for all months that are no longer kept separately. */
const EARLIER = '0001-01-01';

/**
 * Removes rows that no answer needs any more: old days of activity, and request counts of earlier months, which are in
 * the totals. The newest row of each bucket stays, because it has the last use. Totals of earlier months are merged.
 * `today`: YYYY-MM-DD. Returns the number of removed rows.
 */
export async function pruneUsage(db: Database, today: string): Promise<number> {
    return (await removeOld(db, today)) + (await mergeTotals(db, today));
}

async function removeOld(db: Database, today: string): Promise<number> {
    let removed = 0;
    for (;;) {
        const [row] = await db.rows<{ removed: number }>(sql.unsafe`
            WITH old_days AS (
                DELETE FROM usage.days WHERE (day, account) IN (
                    SELECT day, account FROM usage.days
                    WHERE day < ${today}::date - ${DAYS_KEPT}::int LIMIT ${PRUNE_ROWS})
                RETURNING 1
            ), old_requests AS (
                DELETE FROM usage.requests WHERE (bucket, day, life) IN (
                    SELECT bucket, day, life FROM usage.requests AS old
                    WHERE day < date_trunc('month', ${today}::date)::date - ${COMPARED_DAYS}::int
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

async function mergeTotals(db: Database, today: string): Promise<number> {
    let merged = 0;
    for (;;) {
        const [row] = await db.rows<{ merged: number }>(sql.unsafe`
            WITH old AS (
                DELETE FROM usage.totals WHERE (account, kind, month) IN (
                    SELECT account, kind, month FROM usage.totals
                    WHERE month > ${EARLIER}::date AND month < date_trunc('month', ${today}::date - ${COMPARED_DAYS}::int)
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
