import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { within } from '../../../platform/within.ts';
import { RESIGN_AFTER_MS } from './publisher.ts';
import type { StatusListStore } from './rows.ts';

/** Time limit for PostgreSQL to answer, in milliseconds. Beyond it: the metrics lack the ages. */
const TIMEOUT_MS = 500;

/**
 * Exports how long the publication of a status list has been due. The database knows it, so every process of the role
 * shows the same, whichever publishes.
 */
export function exposeAge(metrics: Metrics, store: Pick<StatusListStore, 'readAges'>): void {
    metrics.collect(
        {
            type: 'gauge',
            name: 'status_list_age_seconds',
            help: 'How long the publication of a status list has been due: since the oldest revocation that no list shows, or since a list should have been signed again. 0: none is due.',
            labels: ['due'],
        },
        async () => {
            const ages = await within(TIMEOUT_MS, store.readAges()).catch(() => undefined);
            if (!ages) return [];
            const { changed_ms, published_ms } = ages;
            return [
                { labels: { due: 'revocation' }, value: Math.max(0, changed_ms ?? 0) / 1_000 },
                { labels: { due: 'signature' }, value: Math.max(0, (published_ms ?? 0) - RESIGN_AFTER_MS) / 1_000 },
            ];
        },
    );
}
