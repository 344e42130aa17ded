import type { Database } from '../../platform/postgres/db.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { within } from '../../platform/within.ts';
import { oldestAge, type Publisher } from './outbox.store.ts';

/** Time limit for PostgreSQL to answer, in milliseconds. Beyond it: the metrics lack the age. */
const TIMEOUT_MS = 500;

/** Exports for each service how long its oldest event has waited. `databasesOf`: the databases with its outboxes. */
export function exposeOutboxes(
    metrics: Metrics,
    services: readonly Publisher[],
    databasesOf: (service: Publisher) => readonly Database[],
): void {
    if (services.length === 0) return;
    metrics.collect(
        {
            type: 'gauge',
            name: 'outbox_age_seconds',
            help: 'How long the oldest event of a service has waited until it is in its stream. 0: none waits.',
            labels: ['service'],
        },
        async () => {
            const ages = services.map(async (service) => {
                const all = Promise.all(databasesOf(service).map((db) => oldestAge(db, service)));
                const ms = await within(TIMEOUT_MS, all).catch(() => undefined);
                return ms ? [{ labels: { service }, value: Math.max(...ms) / 1_000 }] : [];
            });
            return (await Promise.all(ages)).flat();
        },
    );
}
