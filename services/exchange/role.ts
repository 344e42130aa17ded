import type { Database } from '../../platform/postgres/db.ts';
import { type Config, required } from '../../platform/process/config.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import { cursors } from '../cursors.ts';
import { claimSweep } from '../idempotency/claim-sweep.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { relayJob } from '../outbox/relay.ts';
import { configurationsStore } from './configurations.store.ts';
import { exchangeErasure, offersOfSubject } from './erase.store.ts';
import { offersStore } from './offers.store.ts';
import { removeExpired } from './remove.store.ts';
import { exchangeService } from './service.ts';
import { dpopProofs, usedProofs } from './wallet/dpop.ts';
import { issuerOffers } from './wallet/issuers.ts';
import { nonces } from './wallet/nonces.ts';
import { refusalCounter } from './wallet/refusals.ts';
import { walletStore } from './wallet/wallet.store.ts';

/** Interval between two removals of expired offers, in milliseconds. */
const REMOVE_EVERY_MS = 600_000;

/** What a process provides to this role. */
interface RoleDependencies {
    config: Config;
    db: Database;
    redis: Redis;
    metrics: Metrics;
    /** Milliseconds since 1970. */
    clock: () => number;
    idempotency(owner: 'exchange'): Idempotency;
    serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
}

export function createExchange(dependencies: RoleDependencies) {
    const { config, db, metrics, clock, idempotency, serviceClient } = dependencies;
    const shared = { publicUrl: config.PUBLIC_URL, pepper: required(config, 'IDEMPOTENCY_PEPPER'), clock };
    return exchangeService({
        ...shared,
        configurations: configurationsStore(db),
        offers: offersStore(db),
        erasureSteps: exchangeErasure(db),
        subjectErasureSteps: [offersOfSubject(db, shared.pepper)],
        idempotency: idempotency('exchange'),
        cursors: cursors(required(config, 'SERVICE_TOKEN')),
        services: { signing: serviceClient('signing', SERVICE_DEFINITIONS.signing) },
        quota: config.QUOTA_OFFERS,
        counted: refusalCounter(metrics),
        wallet: { ...shared, ...walletSide(dependencies) },
    });
}

/** What the methods for wallets use. */
function walletSide({ config, db, redis, clock, serviceClient }: RoleDependencies) {
    const store = walletStore(db);
    return {
        store,
        services: {
            credentials: serviceClient('credentials', SERVICE_DEFINITIONS.credentials),
            keys: serviceClient('keys', SERVICE_DEFINITIONS.keys),
            signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
        },
        issuerOffers: issuerOffers(store),
        nonces: nonces(required(config, 'SERVICE_TOKEN'), clock),
        dpopProofs: dpopProofs(usedProofs(redis), clock),
    };
}

/** The jobs of which one process of the role takes each run. */
export function exchangeJobs(dependencies: RoleDependencies): Record<string, Job> {
    return {
        remove: { everyMs: REMOVE_EVERY_MS, run: () => removeExpired(dependencies.db) },
        ...claimSweep('exchange')(dependencies),
        ...relayJob('exchange')(dependencies),
    };
}
