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
export function exposeAge(metrics: Metrics, parts: ReadonlyArray<Pick<StatusListStore, 'readAges'>>): void {
    metrics.collect(
        {
            type: 'gauge',
            name: 'status_list_age_seconds',
            help: 'How long the publication of a status list has been due: since the oldest revocation that no list shows, or since a list should have been signed again. 0: none is due.',
            labels: ['due'],
        },
        async () => {
            const all = Promise.all(parts.map((part) => part.readAges()));
            const ages = await within(TIMEOUT_MS, all).catch(() => undefined);
            if (!ages) return [];
            const changed = ages.map(({ changed_ms }) => changed_ms ?? 0);
            const published = ages.map(({ published_ms }) => (published_ms ?? 0) - RESIGN_AFTER_MS);
            return [
                { labels: { due: 'revocation' }, value: Math.max(0, ...changed) / 1_000 },
                { labels: { due: 'signature' }, value: Math.max(0, ...published) / 1_000 },
            ];
        },
    );
}
