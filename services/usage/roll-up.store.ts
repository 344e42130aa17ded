import { z } from 'zod';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { PLATFORM } from './store.ts';

/**
 * Maximum number of pending counts that one statement rolls up. It bounds the locks and the duration of the statement.
 * Beyond it: the next statement takes the rest.
 */
export const ROLL_UP_ROWS = 10_000;

/** For how long batches of requests are remembered: for much longer than a process repeats one that failed. */
const REMEMBERED = '1 day';

export interface RollUpStore {
    /**
     * Moves at most ROLL_UP_ROWS pending counts into the totals. Returns the number of moved rows. A second run moves
     * nothing twice. Also forgets old batches of requests.
     */
    rollUpPendingCounts(): Promise<number>;
    /** Frees the space of pending counts that are rolled up. Until then every reader of newer rows has to skip them. */
    sweepPendingCounts(): Promise<void>;
}

export function rollUpStore(db: Database): RollUpStore {
    return {
        rollUpPendingCounts: () => rollUpPendingCounts(db),
        async sweepPendingCounts() {
            await db.rows(sql.unsafe`VACUUM usage.deltas`);
        },
    };
}

const movedRow = z.strictObject({ moved: z.number() });

async function rollUpPendingCounts(db: Database): Promise<number> {
    // Selects by ctid, for which PostgreSQL has only one plan. It would plan a join by id on a table that was just
    // emptied as if the table were still empty, and compare each row with every other row. The rows do not move,
    // because the subquery has locked them.
    const rows = await db.rows(sql.type(movedRow)`
        WITH taken AS (
            DELETE FROM usage.deltas WHERE ctid = ANY(ARRAY(
                SELECT ctid FROM usage.deltas ORDER BY id LIMIT ${ROLL_UP_ROWS} FOR UPDATE SKIP LOCKED))
            RETURNING account, kind, day, date_trunc('month', day)::date AS month, amount
        ), added AS (
            INSERT INTO usage.totals (account, kind, month, amount)
            SELECT account, kind, month, sum(amount) FROM taken WHERE account IS NOT NULL GROUP BY account, kind, month
            UNION ALL
            SELECT ${PLATFORM}, kind, month, sum(amount) FROM taken GROUP BY kind, month
            ON CONFLICT (account, kind, month) DO UPDATE SET amount = totals.amount + excluded.amount
        ), active AS (
            INSERT INTO usage.days (account, day, requests, logins)
            SELECT account, day, coalesce(sum(amount) FILTER (WHERE kind = 'requests'), 0),
                   coalesce(sum(amount) FILTER (WHERE kind = 'logins'), 0)
            FROM taken WHERE kind IN ('requests', 'logins') AND account IS NOT NULL GROUP BY account, day
            ON CONFLICT (day, account) DO UPDATE
            SET requests = days.requests + excluded.requests, logins = days.logins + excluded.logins
        ), forgotten AS (
            DELETE FROM usage.batches WHERE id < (lpad(to_hex(
                (extract(epoch FROM now() - ${REMEMBERED}::interval) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
        )
        SELECT count(*) AS moved FROM taken`);
    return rows[0]?.moved ?? 0;
}
