import type { Database } from '../../../platform/postgres/db.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { within } from '../../../platform/within.ts';
import { oldestErasureAge } from './erasures.store.ts';

/** Time limit for PostgreSQL to answer, in milliseconds. Beyond it: the metrics lack the age. */
const TIMEOUT_MS = 500;

/**
 * Exports how long the oldest erasure has been under way. The database knows it, so every process of the role shows the
 * same, whichever erases.
 */
export function exposeErasureAge(metrics: Metrics, db: Database): void {
    metrics.collect(
        {
            type: 'gauge',
            name: 'erasure_age_seconds',
            help: 'Time since the request of the oldest erasure of an account that is not finished. 0: none is under way.',
            labels: [],
        },
        async () => {
            const ms = await within(TIMEOUT_MS, oldestErasureAge(db)).catch(() => undefined);
            return ms === undefined ? [] : [{ labels: {}, value: ms / 1_000 }];
        },
    );
}
