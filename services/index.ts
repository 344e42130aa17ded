import { guard } from '../platform/access/guard.ts';
import { livenessMarks } from '../platform/access/liveness-marks.ts';
import { DAY_MS } from '../platform/days.ts';
import { required } from '../platform/process/config.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../proto/services.ts';
import { approximateQuota } from './approximate-quota.ts';
import { countsOf, countsOfAll } from './counts/counts.store.ts';
import type { Counting } from './counts/pending.store.ts';
import { countJobs } from './counts/roll-up.ts';
import { batches } from './credentials/batches.ts';
import { credentialsJobs } from './credentials/jobs.ts';
import { partsIn } from './credentials/parts/parts.ts';
import { CREDENTIALS_ITEMS, credentialsService } from './credentials/service.ts';
import { cursors } from './cursors.ts';
import { didService } from './did/service.ts';
import { didStore } from './did/store.ts';
import { eventsJobs } from './events/jobs.ts';
import { eventsService } from './events/service.ts';
import { eventsStore } from './events/store.ts';
import { createExchange, exchangeJobs } from './exchange/role.ts';
import { claimSweep } from './idempotency/claim-sweep.ts';
import type { Owner } from './idempotency/claims.store.ts';
import { erasureJob } from './identity/erasure/finish-erasures.ts';
import { pruneSessions } from './identity/prune.store.ts';
import { identityService } from './identity/service.ts';
import { identityStore } from './identity/store.ts';
import { tokens } from './identity/tokens.ts';
import { expiryJob } from './keys/expiring/jobs.ts';
import { keyPolicy } from './keys/policy.ts';
import { keysService } from './keys/service.ts';
import { keyStore } from './keys/store.ts';
import { relayJob } from './outbox/relay.ts';
import { presentationsService } from './presentations/service.ts';
import { presentationStore } from './presentations/store.ts';
import { type Service, service } from './service.ts';
import { signingJobs } from './signing/jobs.ts';
import { signingService } from './signing/service.ts';
import { signingKeys } from './signing/signing-keys.ts';
import { usageJobs } from './usage/jobs.ts';
import { usageService } from './usage/service.ts';
import { usageStore } from './usage/store.ts';
import { usageCounts } from './usage/usage-counts.ts';
import { walletQuotas } from './wallet/quotas.ts';
import { walletService } from './wallet/service.ts';
import { walletStore } from './wallet/store.ts';
import { createWebhooks, deliverWebhooks, webhooksJobs } from './webhooks/role.ts';

/** The jobs of a service that counts, and whose calls may be repeated. */
const commonJobs =
    (role: Counting & Owner): NonNullable<Service['jobs']> =>
    (dependencies) => ({ ...claimSweep(role)(dependencies), ...countJobs(role)(dependencies) });

/** All services, by role. */
export const SERVICES: Record<ServiceRole, Service> = {
    identity: service(
        SERVICE_DEFINITIONS.identity,
        ({ config, db, redis, requestCounts, clock, passwords, idempotency, serviceClient }) =>
            identityService({
                store: identityStore(db),
                requestCounts: requestCounts(),
                idempotency: idempotency('identity'),
                passwords: passwords(),
                tokens: tokens({
                    keysPem: required(config, 'JWT_KEYS'),
                    accessSeconds: config.ACCESS_TOKEN_SECONDS,
                    refreshSeconds: config.REFRESH_TOKEN_SECONDS,
                    clock,
                }),
                guard: guard({ redis, shards: config.REDIS_SHARDS }),
                pepper: required(config, 'IDEMPOTENCY_PEPPER'),
                livenessMarks: livenessMarks({ redis, shards: config.REDIS_SHARDS }),
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                sessionQuota: config.QUOTA_SESSIONS,
                keys: serviceClient('keys', SERVICE_DEFINITIONS.keys),
                clock,
            }),
        {
            jobs: (dependencies) => ({
                prune: { everyMs: DAY_MS, run: () => pruneSessions(dependencies.db) },
                ...commonJobs('identity')(dependencies),
                ...relayJob('identity')(dependencies),
                ...erasureJob(dependencies),
            }),
        },
    ),
    keys: service(
        SERVICE_DEFINITIONS.keys,
        ({ config, db, redis, limiter, requestCounts, clock, idempotency }) =>
            keysService({
                store: keyStore(db),
                idempotency: idempotency('keys'),
                livenessMarks: livenessMarks({ redis, shards: config.REDIS_SHARDS }),
                limiter: limiter(),
                requestCounts: requestCounts(),
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                clock,
                policy: keyPolicy(config),
            }),
        {
            jobs: (dependencies) => ({
                ...expiryJob(dependencies),
                ...commonJobs('keys')(dependencies),
                ...relayJob('keys')(dependencies),
            }),
        },
    ),
    did: service(
        SERVICE_DEFINITIONS.did,
        ({ config, db, signatures, clock, idempotency }) =>
            didService({
                store: didStore(db),
                idempotency: idempotency('did'),
                signatures: signatures(),
                quota: approximateQuota('dids_created', config.QUOTA_DIDS, countsOf(['did'], db)),
                clock,
            }),
        { jobs: commonJobs('did') },
    ),
    signing: service(
        SERVICE_DEFINITIONS.signing,
        ({ config, db, signatures, metrics, addCheck, clock, serviceClient, idempotency }) =>
            signingService({
                ...signingKeys({ config, db, metrics, addCheck, clock }),
                signatures: signatures(),
                services: { did: serviceClient('did', SERVICE_DEFINITIONS.did) },
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                idempotency: idempotency('signing'),
            }),
        { jobs: signingJobs },
    ),
    credentials: service(
        SERVICE_DEFINITIONS.credentials,
        ({ config, databasesOf, credentialParts, signatures, metrics, clock, serviceClient, idempotency }) =>
            credentialsService({
                parts: partsIn(databasesOf('credentials'), credentialParts),
                idempotency: idempotency('credentials'),
                quota: approximateQuota(
                    'credentials_issued',
                    config.QUOTA_CREDENTIALS,
                    countsOfAll(['credentials'], databasesOf),
                ),
                signatures: signatures(),
                batches: batches(metrics),
                services: {
                    did: serviceClient('did', SERVICE_DEFINITIONS.did),
                    signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
                },
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                listScope: config.LIST_SCOPE,
                publicUrl: config.PUBLIC_URL,
                clock,
            }),
        { itemCounts: CREDENTIALS_ITEMS, jobs: credentialsJobs },
    ),
    presentations: service(
        SERVICE_DEFINITIONS.presentations,
        ({ config, db, signatures, clock, serviceClient, idempotency }) =>
            presentationsService({
                store: presentationStore(db),
                idempotency: idempotency('presentations'),
                quota: approximateQuota(
                    'presentations_created',
                    config.QUOTA_PRESENTATIONS,
                    countsOf(['presentations'], db),
                ),
                signatures: signatures(),
                services: {
                    credentials: serviceClient('credentials', SERVICE_DEFINITIONS.credentials),
                    signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
                },
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                clock,
            }),
        { jobs: commonJobs('presentations') },
    ),
    wallet: service(
        SERVICE_DEFINITIONS.wallet,
        ({ config, db, redis, signatures, passwords, clock, serviceClient, idempotency }) =>
            walletService({
                store: walletStore(db),
                idempotency: idempotency('wallet'),
                signatures: signatures(),
                passwords: passwords(),
                cost: { memory_kib: config.ARGON2_MEMORY_KIB, passes: config.ARGON2_PASSES },
                guard: guard({ redis, shards: config.REDIS_SHARDS }),
                services: {
                    did: serviceClient('did', SERVICE_DEFINITIONS.did),
                    signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
                },
                cursors: cursors(required(config, 'SERVICE_TOKEN')),
                quotas: walletQuotas(config, countsOf(['wallet'], db)),
                clock,
            }),
        { jobs: (dependencies) => ({ ...commonJobs('wallet')(dependencies), ...relayJob('wallet')(dependencies) }) },
    ),
    usage: service(
        SERVICE_DEFINITIONS.usage,
        ({ db, databasesOf, clock }) =>
            usageService({ store: usageStore(db), counts: usageCounts(databasesOf), clock }),
        { jobs: usageJobs },
    ),
    events: service(SERVICE_DEFINITIONS.events, ({ db }) => eventsService({ store: eventsStore(db) }), {
        jobs: eventsJobs,
    }),
    exchange: service(SERVICE_DEFINITIONS.exchange, createExchange, { jobs: exchangeJobs }),
    webhooks: service(SERVICE_DEFINITIONS.webhooks, createWebhooks, { jobs: webhooksJobs, work: deliverWebhooks }),
};
