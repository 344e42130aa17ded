import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { PLATFORM } from './counts.store.ts';
import { type Counting, deltasOf, totalsOf } from './pending.store.ts';

/**
 * Maximum number of pending counts that one statement rolls up. It bounds the locks and the duration of the statement.
 * Beyond it: the next statement takes the rest.
 */
export const ROLL_UP_ROWS = 10_000;

const movedRow = z.strictObject({ moved: z.number() });

/**
 * Moves at most ROLL_UP_ROWS pending counts of a service into its totals. Returns the number of moved rows. A second run
 * moves nothing twice. `more`: further CTEs, which may read the moved rows from the CTE `taken`.
 */
export async function rollUpPendingCounts(service: Counting, db: Database, more = sql.fragment``): Promise<number> {
    const deltas = deltasOf(service);
    // A range of ids has one plan, whatever PostgreSQL believes about the size of a table that is emptied all the time.
    const [row] = await db.rows(sql.type(movedRow)`
        WITH taken AS (
            DELETE FROM ${deltas} WHERE id <= (
                SELECT max(id) FROM (SELECT id FROM ${deltas} ORDER BY id LIMIT ${ROLL_UP_ROWS}) AS oldest
            )
            RETURNING account, kind, day, amount
        ), by_month AS (
            SELECT account, kind, date_trunc('month', day)::date AS month, amount FROM taken
        ), added AS (
            INSERT INTO ${totalsOf(service)} AS totals (account, kind, month, amount)
            SELECT account, kind, month, sum(amount) FROM by_month WHERE account IS NOT NULL GROUP BY account, kind, month
            UNION ALL
            SELECT ${PLATFORM}, kind, month, sum(amount) FROM by_month GROUP BY kind, month
            ON CONFLICT (account, kind, month) DO UPDATE SET amount = totals.amount + excluded.amount
        ) ${more}
        SELECT count(*) AS moved FROM taken`);
    return row?.moved ?? 0;
}

/** Frees the space of pending counts that are rolled up. Until then every reader of newer rows has to skip them. */
export async function sweepPendingCounts(service: Counting, db: Database): Promise<void> {
    await db.rows(sql.unsafe`VACUUM ${deltasOf(service)}`);
}
