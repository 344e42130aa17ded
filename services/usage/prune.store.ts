import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { removedRows } from '../../platform/postgres/prune.ts';

/** Number of days of activity that are kept. Statistics cover a week. Beyond it: a daily job removes them. */
const DAYS_KEPT = 10;

/** The month (its first day) that stands for all months that are no longer kept separately. */
const EARLIER = '0001-01-01';

/**
 * Removes old days of activity, which no answer needs any more, and merges the totals of earlier months: not yet on the
 * first day of a month, because an answer may have begun before midnight. `today`: YYYY-MM-DD. Returns the number of
 * removed rows.
 */
export async function pruneUsage(db: Database, today: string): Promise<number> {
    return (await removeOld(db, today)) + (await mergeTotals(db, today));
}

const removedRow = z.strictObject({ removed: z.number() });
const mergedRow = z.strictObject({ merged: z.number() });

/** Removes one day after the other, so that the primary key finds the accounts of each batch. */
async function removeOld(db: Database, today: string): Promise<number> {
    let removed = 0;
    for (;;) {
        const [row] = await db.rows(sql.type(removedRow)`
            WITH oldest AS (SELECT min(day) AS day FROM usage.days WHERE day < ${today}::date - ${DAYS_KEPT}::int),
            old AS (${removedRows({ table: ['usage', 'days'], key: 'account' }, OLDEST_DAY)} RETURNING 1)
            SELECT count(*) AS removed FROM old`);
        if (!row?.removed) return removed;
        removed += row.removed;
    }
}

const OLDEST_DAY = sql.fragment`day = (SELECT day FROM oldest)`;

/** Merges one month after the other: each batch all totals of its accounts. */
async function mergeTotals(db: Database, today: string): Promise<number> {
    let merged = 0;
    for (;;) {
        const [row] = await db.rows(sql.type(mergedRow)`
            WITH oldest AS (
                SELECT min(month) AS month FROM usage.totals
                WHERE month > ${EARLIER}::date AND month < date_trunc('month', ${today}::date - 1)
            ), old AS (
                ${removedRows({ table: ['usage', 'totals'], key: 'account' }, OLDEST_MONTH)}
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

const OLDEST_MONTH = sql.fragment`month = (SELECT month FROM oldest)`;
