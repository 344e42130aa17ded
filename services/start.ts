import type { ProcessAccess } from '../platform/access/process-access.ts';
import { databaseTime, measureClock } from '../platform/postgres/clock-offset.store.ts';
import { type Config, required } from '../platform/process/config.ts';
import { jobMetrics } from '../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../platform/redis/jobs.ts';
import type { Redis } from '../platform/redis/redis.ts';
import { serve } from '../platform/rpc/serve.ts';
import type { ServiceRegistry } from '../platform/rpc/service-registry.ts';
import type { Tls } from '../platform/rpc/tls.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Readiness } from '../platform/telemetry/readiness.ts';
import type { ServiceRole } from '../proto/services.ts';
import { ONE_PART } from './credentials/parts/part-map.ts';
import { partMapIn } from './credentials/parts/parts.store.ts';
import { cryptoPools } from './crypto-pools.ts';
import { exposeDatabases, roleDatabases, watchDatabases } from './databases.ts';
import { idempotencies } from './idempotency/idempotency.ts';
import { SERVICES } from './index.ts';
import { exposeOutboxes } from './outbox/age.ts';
import { PUBLISHERS } from './outbox/outbox.store.ts';
import type { ServiceDependencies } from './service.ts';

/** The objects of a process that its services use. */
export interface ServiceProcess extends ProcessAccess {
    config: Config;
    log: Log;
    metrics: Metrics;
    redis: Redis;
    serviceRegistry: ServiceRegistry;
    readiness: Readiness;
    /** Clear text if undefined. */
    tls: Tls | undefined;
    closing: AsyncDisposableStack;
}

/** Starts the services of `roles`, their jobs and the gRPC server. Returns the address of the server (host:port). */
export async function startServices(roles: readonly ServiceRole[], shared: ServiceProcess): Promise<string> {
    const { config, log, metrics, redis, limiter, requestCounts, serviceRegistry, readiness, tls, closing } = shared;
    const { databasesOf, own } = await roleDatabases(roles, { config, log, metrics, closing });
    const databaseOf = (role: ServiceRole) => databasesOf(role)[0];
    const credentialParts = roles.includes('credentials') ? await partMapIn(databasesOf('credentials')) : ONE_PART;
    const first = databaseOf(roles[0] as ServiceRole); // a process that has services has a role
    closing.defer(measureClock(() => databaseTime(first), { metrics, log, readiness }));

    const { signatures, passwords } = cryptoPools({ config, metrics, closing });
    const { serviceClient } = serviceRegistry;
    const idempotency = idempotencies({ config, databasesOf, metrics, clock: Date.now });
    const dependencies = {
        config,
        databasesOf,
        credentialParts,
        redis,
        limiter,
        requestCounts,
        log,
        metrics,
        addCheck: readiness.addCheck,
        clock: Date.now,
        signatures,
        passwords,
        serviceClient,
        idempotency,
    };
    const methods = roles.flatMap((role) => SERVICES[role].build({ ...dependencies, db: databaseOf(role) }));
    const dispatch = serviceRegistry.offer(methods);
    startJobs(roles, { ...dependencies, serviceClient: serviceRegistry.backgroundClient }, closing);
    exposeOutboxes(
        metrics,
        PUBLISHERS.filter((role) => roles.includes(role)),
        databasesOf,
    );
    const server = await serve({
        methods,
        dispatch,
        host: config.HOST,
        port: config.GRPC_PORT,
        serviceTokens: required(config, 'SERVICE_TOKEN'),
        serviceCallers: config.SERVICE_CALLERS,
        tls,
        metrics,
        ready: async () => (await readiness.failingChecks()).length === 0,
    });
    closing.defer(() => server.stop());
    watchDatabases(own, readiness);
    exposeDatabases(metrics, own);
    return server.address;
}

/** Starts what the roles do without being called. */
function startJobs(
    roles: readonly ServiceRole[],
    dependencies: Omit<ServiceDependencies, 'db'>,
    closing: AsyncDisposableStack,
): void {
    const { config, log } = dependencies;
    const metrics = jobMetrics(dependencies.metrics);
    for (const role of roles) {
        const own = { ...dependencies, db: dependencies.databasesOf(role)[0] };
        const jobs = SERVICES[role].jobs?.(own);
        if (jobs) {
            const scheduled = scheduleJobs({ redisUrl: required(config, 'REDIS_URL'), role, jobs, log, metrics });
            closing.defer(() => scheduled.stop());
        }
        const work = SERVICES[role].work?.(own);
        if (work) closing.defer(() => work.stop());
    }
}
