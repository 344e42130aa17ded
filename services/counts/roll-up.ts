import { DAY_MS, dayText } from '../../platform/days.ts';
import type { Database, sql } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import { mergeTotals } from './merge.store.ts';
import type { Counting } from './pending.store.ts';
import { ROLL_UP_ROWS, rollUpPendingCounts, sweepPendingCounts } from './roll-up.store.ts';

/**
 * Interval between roll-ups of the pending counts, in milliseconds. It is short because every reader adds up the
 * pending counts.
 */
const ROLL_UP_EVERY_MS = 2_000;
/**
 * Number of rolled-up pending counts after which a run frees their space. PostgreSQL itself frees it only once a
 * minute.
 */
const SWEPT_ROWS = 1_000;

/**
 * Rolls up the pending counts of a service into its totals. Pending counts that are written meanwhile may wait for the
 * next run, because under load a run would otherwise never end. It may be interrupted and repeated at any point.
 * `more`: see rollUpPendingCounts.
 */
export async function rollUp(service: Counting, db: Database, more?: ReturnType<typeof sql.fragment>): Promise<void> {
    let sum = 0;
    for (let rolledUp = ROLL_UP_ROWS; rolledUp === ROLL_UP_ROWS; sum += rolledUp)
        rolledUp = await rollUpPendingCounts(service, db, more);
    if (sum >= SWEPT_ROWS) await sweepPendingCounts(service, db);
}

/** Returns the jobs that keep the counts of a service small. */
export function countJobs(service: Counting, more?: ReturnType<typeof sql.fragment>) {
    return ({ db, clock }: { db: Database; clock: () => number }): Record<string, Job> => ({
        roll_up: { everyMs: ROLL_UP_EVERY_MS, run: () => rollUp(service, db, more) },
        merge_totals: { everyMs: DAY_MS, run: () => mergeTotals(service, db, dayText(clock())) },
    });
}
