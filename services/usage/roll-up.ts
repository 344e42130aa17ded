import { ROLL_UP_ROWS, type RollUpStore } from './roll-up.store.ts';

/**
 * Number of rolled-up pending counts after which a run frees their space. PostgreSQL itself frees it only once a
 * minute.
 */
const SWEPT_ROWS = 1_000;

/**
 * Rolls up the pending counts into the totals. Pending counts that are written meanwhile may wait for the next run,
 * because under load a run would otherwise never end. It may be interrupted and repeated at any point.
 */
export async function rollUp(store: RollUpStore): Promise<void> {
    let sum = 0;
    for (let rolledUp = ROLL_UP_ROWS; rolledUp === ROLL_UP_ROWS; sum += rolledUp)
        rolledUp = await store.rollUpPendingCounts();
    if (sum >= SWEPT_ROWS) await store.sweepPendingCounts();
}
