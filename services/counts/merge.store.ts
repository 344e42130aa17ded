import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { removedRows } from '../../platform/postgres/prune.ts';
import { type Counting, totalsOf } from './pending.store.ts';

/** The month (its first day) that stands for all months that are no longer kept separately. */
const EARLIER = '0001-01-01';

const mergedRow = z.strictObject({ merged: z.number() });

/**
 * Merges the totals of a service's earlier months: not yet on the first day of a month, because an answer may have begun
 * before midnight. Merges one month after the other, each batch all totals of its accounts. `today`: YYYY-MM-DD. Returns
 * the number of merged totals.
 */
export async function mergeTotals(service: Counting, db: Database, today: string): Promise<number> {
    let merged = 0;
    for (;;) {
        const [row] = await db.rows(sql.type(mergedRow)`
            WITH oldest AS (
                SELECT min(month) AS month FROM ${totalsOf(service)}
                WHERE month > ${EARLIER}::date AND month < date_trunc('month', ${today}::date - 1)
            ), old AS (
                ${removedRows({ table: [service, 'totals'], key: 'account' }, OLDEST_MONTH)}
                RETURNING account, kind, amount
            ), added AS (
                INSERT INTO ${totalsOf(service)} AS totals (account, kind, month, amount)
                SELECT account, kind, ${EARLIER}::date, sum(amount) FROM old GROUP BY account, kind
                ON CONFLICT (account, kind, month) DO UPDATE SET amount = totals.amount + excluded.amount
            )
            SELECT count(*) AS merged FROM old`);
        if (!row?.merged) return merged;
        merged += row.merged;
    }
}

const OLDEST_MONTH = sql.fragment`month = (SELECT month FROM oldest)`;
