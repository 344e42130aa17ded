import { type Database, sql } from '../../platform/postgres/db.ts';
import { PLATFORM, type RequestCount } from './store.ts';

/**
 * Maximum number of pending counts that one statement rolls up. It bounds the locks and the duration of the statement.
 */
export const ROLL_UP_ROWS = 10_000;
/**
 * The advisory lock for recording requests ("usag" in ASCII). Only one process at a time may compute the differences.
 */
const RECORD_LOCK = 0x75736167;

export interface RollUpStore {
    /**
     * Moves at most ROLL_UP_ROWS pending counts into the totals. Returns the number of moved rows. A second run moves
     * nothing twice.
     */
    rollUpPendingCounts(): Promise<number>;
    /** Frees the space of pending counts that are rolled up. Until then every reader of newer rows has to skip them. */
    sweepPendingCounts(): Promise<void>;
    /**
     * Records absolute counts, and adds their difference from the recorded ones to the totals. A second run adds
     * nothing twice.
     */
    recordRequests(counts: readonly RequestCount[]): Promise<void>;
}

export function rollUpStore(db: Database): RollUpStore {
    return {
        rollUpPendingCounts: () => rollUpPendingCounts(db),
        async sweepPendingCounts() {
            await db.rows(sql.unsafe`VACUUM usage.deltas`);
        },
        recordRequests: (counts) => recordRequests(db, counts),
    };
}

async function rollUpPendingCounts(db: Database): Promise<number> {
    // Selects by ctid, for which PostgreSQL has only one plan. It would plan a join by id on a table that was just
    // emptied as if the table were still empty, and compare each row with every other row. The rows do not move,
    // because the subquery has locked them.
    const rows = await db.rows<{ moved: number }>(sql.unsafe`
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
            SELECT account, day, 0, sum(amount) FROM taken WHERE kind = 'logins' GROUP BY account, day
            ON CONFLICT (day, account) DO UPDATE SET logins = days.logins + excluded.logins
        )
        SELECT count(*) AS moved FROM taken`);
    return rows[0]?.moved ?? 0;
}

const TUPLE_TYPES = ['text', 'uuid', 'date', 'int8', 'int8', 'int8', 'int8', 'timestamptz'];

function tupleOf({ bucket, account, day, life, requests, refused, verified, last_used_at }: RequestCount) {
    return [bucket, account, day, life, requests, refused, verified, last_used_at];
}

async function recordRequests(db: Database, counts: readonly RequestCount[]): Promise<void> {
    await db.transaction(async ({ rows }) => {
        // A separate statement, so that the next one sees what the previous process has recorded.
        await rows(sql.unsafe`SELECT pg_advisory_xact_lock(${RECORD_LOCK})`);
        await rows(sql.unsafe`
            WITH counted AS (
                SELECT * FROM ${sql.unnest(counts.map(tupleOf), TUPLE_TYPES)}
                    AS counted (bucket, account, day, life, requests, refused, verified, last_used_at)
            ), grown AS (
                SELECT counted.account, counted.day, date_trunc('month', counted.day)::date AS month,
                       greatest(counted.requests - coalesce(known.requests, 0), 0) AS requests,
                       greatest(counted.refused - coalesce(known.refused, 0), 0) AS refused,
                       greatest(counted.verified - coalesce(known.verified, 0), 0) AS verified
                FROM counted LEFT JOIN usage.requests AS known USING (bucket, day, life)
            ), recorded AS (
                INSERT INTO usage.requests (bucket, account, day, life, requests, refused, verified, last_used_at)
                SELECT * FROM counted
                ON CONFLICT (bucket, day, life) DO UPDATE SET
                    requests = greatest(requests.requests, excluded.requests),
                    refused = greatest(requests.refused, excluded.refused),
                    verified = greatest(requests.verified, excluded.verified),
                    last_used_at = greatest(requests.last_used_at, excluded.last_used_at)
            ), by_kind AS (
                SELECT account, month, kind, sum(amount) AS amount
                FROM grown CROSS JOIN LATERAL (VALUES
                    ('requests', requests), ('rate_limit_hits', refused), ('presentations_verified', verified)
                ) AS kinds (kind, amount)
                GROUP BY account, month, kind HAVING sum(amount) > 0
            ), added AS (
                INSERT INTO usage.totals (account, kind, month, amount)
                SELECT account, kind, month, amount FROM by_kind WHERE account <> ${PLATFORM}
                UNION ALL
                SELECT ${PLATFORM}, kind, month, sum(amount) FROM by_kind GROUP BY kind, month
                ON CONFLICT (account, kind, month) DO UPDATE SET amount = totals.amount + excluded.amount
            )
            INSERT INTO usage.days (account, day, requests, logins)
            SELECT account, day, sum(requests), 0 FROM grown
            WHERE account <> ${PLATFORM} GROUP BY account, day HAVING sum(requests) > 0
            ON CONFLICT (day, account) DO UPDATE SET requests = days.requests + excluded.requests`);
    });
}
