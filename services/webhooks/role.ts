import { randomUUID } from 'node:crypto';
import { ownContext } from '../../platform/context.ts';
import { DAY_MS } from '../../platform/days.ts';
import { NIL_ID } from '../../platform/ids.ts';
import type { Database } from '../../platform/postgres/db.ts';
import { type Config, required } from '../../platform/process/config.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import { cursors } from '../cursors.ts';
import { claimSweep } from '../idempotency/claim-sweep.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { relayJob } from '../outbox/relay.ts';
import { lanesStore } from './delivery/lanes.store.ts';
import { startLanes } from './delivery/lanes.ts';
import { deliveryMetrics } from './delivery/metrics.ts';
import { slots } from './delivery/slots.ts';
import { wakeStore } from './delivery/wake.store.ts';
import { wakeWebhooks } from './delivery/wake.ts';
import { pruneDeliveries, removeDeleted } from './remove.store.ts';
import { reachableAddresses } from './sender/addresses.ts';
import { webhookSender } from './sender/sender.ts';
import { webhooksService } from './service.ts';
import { webhooksStore } from './store.ts';

/** Interval between two looks for new events, in milliseconds. An event is sent after about one of them. */
const WAKE_EVERY_MS = 1_000;
/** Interval between two removals of deleted webhooks, in milliseconds. */
const REMOVE_EVERY_MS = 10_000;

/** What a process provides to this role. */
interface RoleDependencies {
    config: Config;
    db: Database;
    log: Log;
    metrics: Metrics;
    /** Milliseconds since 1970. */
    clock: () => number;
    idempotency(owner: 'webhooks'): Idempotency;
    serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
}

export function createWebhooks({ config, db, clock, idempotency, serviceClient }: RoleDependencies) {
    return webhooksService({
        store: webhooksStore(db),
        idempotency: idempotency('webhooks'),
        cursors: cursors(required(config, 'SERVICE_TOKEN')),
        services: {
            events: serviceClient('events', SERVICE_DEFINITIONS.events),
            signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
        },
        isReachable: reachableAddresses(config.WEBHOOK_NETWORKS),
        quota: config.QUOTA_WEBHOOKS,
        clock,
    });
}

/** The jobs of which one process of the role takes each run. */
export function webhooksJobs(dependencies: RoleDependencies): Record<string, Job> {
    const { db, clock, serviceClient } = dependencies;
    const events = serviceClient('events', SERVICE_DEFINITIONS.events);
    const signing = serviceClient('signing', SERVICE_DEFINITIONS.signing);
    const wakes = wakeStore(db);
    const forget = ({ id, account }: { id: string; account: string }) =>
        signing.eraseWebhookSecrets({ webhook_id: id }, { ...ownContext(), user_id: account });
    return {
        wake: {
            everyMs: WAKE_EVERY_MS,
            isDue: async () => (await wakes.accounts(NIL_ID, 1)).length > 0,
            run: () => wakeWebhooks({ store: wakes, events, clock }),
            alone: true,
        },
        remove: { everyMs: REMOVE_EVERY_MS, run: () => removeDeleted(db, forget) },
        prune: { everyMs: DAY_MS, run: () => pruneDeliveries(db) },
        ...claimSweep('webhooks')(dependencies),
        ...relayJob('webhooks')(dependencies),
    };
}

/** Sends to the webhooks, in every process of the role. */
export function deliverWebhooks({ config, db, clock, log, metrics, serviceClient }: RoleDependencies) {
    return startLanes({
        store: lanesStore(db, randomUUID()),
        events: serviceClient('events', SERVICE_DEFINITIONS.events),
        signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
        sender: webhookSender({
            allowedNetworks: config.WEBHOOK_NETWORKS,
            ...(config.WEBHOOK_CA !== undefined && { ca: config.WEBHOOK_CA }),
        }),
        slots: slots(),
        count: deliveryMetrics(metrics, { store: wakeStore(db), clock }),
        clock,
        log,
    });
}
