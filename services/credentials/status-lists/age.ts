import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { RESIGN_AFTER_MS } from './publisher.ts';
import type { StatusListStore } from './rows.ts';

/**
 * Exports how long a publication has been due. The age is in the database, so every process of the role shows the same,
 * whichever publishes.
 */
export function exposeAge(metrics: Metrics, store: Pick<StatusListStore, 'readAges'>): void {
    metrics.collect(
        {
            type: 'gauge',
            name: 'status_list_age_seconds',
            help: 'How long the publication of a status list has been due: since a revocation that no list shows, or since a list should have been signed again. 0 if none is due. Absent while PostgreSQL does not answer.',
            labels: [],
        },
        async () => {
            const ages = await store.readAges().catch(() => undefined);
            if (!ages) return [];
            const overdueMs = (ages.published_ms ?? 0) - RESIGN_AFTER_MS;
            return [{ labels: {}, value: Math.max(0, ages.changed_ms ?? 0, overdueMs) / 1_000 }];
        },
    );
}
