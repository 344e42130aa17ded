import { join } from 'node:path';
import { guard } from '../platform/access/guard.ts';
import { DAY_MS } from '../platform/access/limit-record.ts';
import { livenessMarks } from '../platform/access/liveness-marks.ts';
import type { Database } from '../platform/postgres/db.ts';
import type { SchemaMigrations } from '../platform/postgres/migrate.ts';
import { type Config, required } from '../platform/process/config.ts';
import type { Job } from '../platform/redis/jobs.ts';
import type { Redis } from '../platform/redis/redis.ts';
import { type BoundMethod, bind, type ServiceDefinition, type ServiceOf } from '../platform/rpc/definition.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../proto/services.ts';
import { foldStore } from '../workers/usage/fold.store.ts';
import { foldDeltas, rollUp } from '../workers/usage/fold.ts';
import { pruneUsage } from '../workers/usage/prune.store.ts';
import { dayText } from '../workers/usage/records.ts';
import { usageService } from '../workers/usage/service.ts';
import { usageStore } from '../workers/usage/store.ts';
import {
    CREDENTIALS_CALLS,
    DID_CALLS,
    IDENTITY_CALLS,
    KEYS_CALLS,
    PRESENTATIONS_CALLS,
    WALLET_CALLS,
} from './counted-calls.ts';
import { type CountedCalls, counting } from './counting.ts';
import { credentialsService } from './credentials/service.ts';
import { credentialStore } from './credentials/store.ts';
import type { CryptoPools } from './crypto-pools.ts';
import { cursors } from './cursors.ts';
import { didService } from './did/service.ts';
import { didStore } from './did/store.ts';
import { pruneSessions } from './identity/prune.store.ts';
import { identityService } from './identity/service.ts';
import { identityStore } from './identity/store.ts';
import { tokens } from './identity/tokens.ts';
import { keysService } from './keys/service.ts';
import { keyStore } from './keys/store.ts';
import { presentationsService } from './presentations/service.ts';
import { presentationStore } from './presentations/store.ts';
import { continuations } from './wallet/continuation.ts';
import { walletService } from './wallet/service.ts';
import { walletStore } from './wallet/store.ts';

/** What a process provides to the services that run in it. */
export interface ServiceDependencies extends CryptoPools {
    config: Config;
    db: Database;
    redis: Redis;
    log: Log;
    metrics: Metrics;
    /** Milliseconds since 1970. */
    clock: () => number;
    /** Returns a client of another service, wherever it runs. */
    serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
}

interface Service {
    /** The methods it serves, for encoded messages. */
    build(dependencies: ServiceDependencies): BoundMethod[];
    /** Its periodic jobs. */
    jobs?(dependencies: ServiceDependencies): Record<string, Job>;
}

function service<D extends ServiceDefinition>(
    definition: D,
    create: (dependencies: ServiceDependencies) => ServiceOf<D>,
    { counted, jobs }: { counted?: CountedCalls<ServiceOf<D>>; jobs?: Service['jobs'] } = {},
): Service {
    return {
        build(dependencies) {
            const created = create(dependencies);
            return bind(definition, counted ? counting(dependencies.metrics, created, counted) : created);
        },
        ...(jobs && { jobs }),
    };
}

/** Every reader adds up the counts that are not rolled up yet. */
const FOLD_DELTAS_EVERY_MS = 2_000;
const FOLD_EVERY_MS = 10_000;

/** Builds every service, by role. */
export const SERVICES: Record<ServiceRole, Service> = {
    identity: service(
        SERVICE_DEFINITIONS.identity,
        ({ config, db, redis, log, clock, passwords }) =>
            identityService({
                store: identityStore(db),
                passwords: passwords(),
                tokens: tokens({
                    keys_pem: required(config, 'JWT_KEYS'),
                    access_seconds: config.ACCESS_TOKEN_SECONDS,
                    refresh_seconds: config.REFRESH_TOKEN_SECONDS,
                    clock,
                }),
                guard: guard({ redis, shards: config.REDIS_SHARDS, log }),
                livenessMarks: livenessMarks({ redis, shards: config.REDIS_SHARDS }),
                session_quota: config.QUOTA_SESSIONS,
                clock,
            }),
        {
            counted: IDENTITY_CALLS,
            jobs: ({ db }) => ({ prune: { every_ms: DAY_MS, run: () => pruneSessions(db) } }),
        },
    ),
    keys: service(
        SERVICE_DEFINITIONS.keys,
        ({ config, db, redis, clock }) =>
            keysService({
                store: keyStore(db),
                livenessMarks: livenessMarks({ redis, shards: config.REDIS_SHARDS }),
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                clock,
                policy: {
                    brand: config.KEY_BRAND,
                    environment: config.KEY_ENVIRONMENT,
                    tier_policy: config.KEY_TIER_POLICY,
                    key_limits: {
                        free: config.KEY_LIMIT_FREE,
                        basic: config.KEY_LIMIT_BASIC,
                        pro: config.KEY_LIMIT_PRO,
                        enterprise: config.KEY_LIMIT_ENTERPRISE,
                    },
                    key_quota: config.QUOTA_KEYS,
                },
            }),
        { counted: KEYS_CALLS },
    ),
    did: service(
        SERVICE_DEFINITIONS.did,
        ({ config, db, signatures }) =>
            didService({ store: didStore(db), signatures: signatures(), quota: config.QUOTA_DIDS }),
        {
            counted: DID_CALLS,
        },
    ),
    credentials: service(
        SERVICE_DEFINITIONS.credentials,
        ({ config, db, signatures, clock, serviceClient }) =>
            credentialsService({
                store: credentialStore(db),
                signatures: signatures(),
                services: { did: serviceClient('did', SERVICE_DEFINITIONS.did) },
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                list_scope: config.LIST_SCOPE,
                clock,
            }),
        { counted: CREDENTIALS_CALLS },
    ),
    presentations: service(
        SERVICE_DEFINITIONS.presentations,
        ({ db, signatures, clock, serviceClient }) =>
            presentationsService({
                store: presentationStore(db),
                signatures: signatures(),
                services: { credentials: serviceClient('credentials', SERVICE_DEFINITIONS.credentials) },
                clock,
            }),
        { counted: PRESENTATIONS_CALLS },
    ),
    wallet: service(
        SERVICE_DEFINITIONS.wallet,
        ({ config, db, redis, log, signatures, passwords, clock, serviceClient }) =>
            walletService({
                store: walletStore(db),
                signatures: signatures(),
                passwords: passwords(),
                cost: { memory_kib: config.ARGON2_MEMORY_KIB, passes: config.ARGON2_PASSES },
                guard: guard({ redis, shards: config.REDIS_SHARDS, log }),
                services: { did: serviceClient('did', SERVICE_DEFINITIONS.did) },
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                continuations: continuations(required(config, 'SERVICE_TOKEN'), clock),
                quotas: {
                    wallets: config.QUOTA_WALLETS,
                    credentials: config.QUOTA_WALLET_CREDENTIALS,
                    bytes: config.QUOTA_WALLET_BYTES,
                },
                clock,
            }),
        { counted: WALLET_CALLS },
    ),
    usage: service(
        SERVICE_DEFINITIONS.usage,
        ({ config, db, redis, log, clock }) =>
            usageService({ store: usageStore(db), redis, shards: config.REDIS_SHARDS, log, clock }),
        {
            jobs({ config, db, redis, clock }) {
                const store = foldStore(db);
                return {
                    deltas: { every_ms: FOLD_DELTAS_EVERY_MS, run: () => foldDeltas({ store }) },
                    fold: {
                        every_ms: FOLD_EVERY_MS,
                        run: () => rollUp({ store, redis, shards: config.REDIS_SHARDS }),
                    },
                    prune: { every_ms: DAY_MS, run: () => pruneUsage(db, dayText(clock())) },
                };
            },
        },
    ),
};

const migrations = (schema: string, folder: string): SchemaMigrations => ({
    schema,
    folder: join(import.meta.dirname, '..', folder, 'migrations'),
});

/** Every schema with its owner's migrations. usage comes first, because the others append to its deltas. */
export const SCHEMAS: readonly SchemaMigrations[] = [
    migrations('usage', 'workers/usage'),
    migrations('identity', 'services/identity'),
    migrations('keys', 'services/keys'),
    migrations('did', 'services/did'),
    migrations('credentials', 'services/credentials'),
    migrations('presentations', 'services/presentations'),
    migrations('wallet', 'services/wallet'),
];
