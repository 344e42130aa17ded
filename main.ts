import { startGateway } from './gateway/gateway.ts';
import manifest from './package.json' with { type: 'json' };
import { exposeGuard } from './platform/access/guard.ts';
import { ownContext } from './platform/context.ts';
import { awaitMigrations } from './platform/postgres/await-migrations.ts';
import { readDatabaseClock } from './platform/postgres/clock.store.ts';
import { openDatabase } from './platform/postgres/db.ts';
import { migrate, SchemaTooNew } from './platform/postgres/migrate.ts';
import { type Clock, createClock } from './platform/process/clock.ts';
import {
    type Config,
    ConfigError,
    type Environment,
    loadConfig,
    processEnvironment,
    required,
} from './platform/process/config.ts';
import { exitWithParent, stopOnSignals } from './platform/process/process.ts';
import { surviveUncaught } from './platform/process/uncaught.ts';
import { exposeQueues } from './platform/queue-stats.ts';
import { jobMetrics } from './platform/redis/job-metrics.ts';
import { scheduleJobs } from './platform/redis/jobs.ts';
import { awaitRedis, openRedis, type Redis } from './platform/redis/redis.ts';
import { serve } from './platform/rpc/serve.ts';
import { type ServiceRegistry, serviceRegistry } from './platform/rpc/service-registry.ts';
import { exposeExpiry, tlsOf } from './platform/rpc/tls.ts';
import { createLog, exposeLog, type Log } from './platform/telemetry/log.ts';
import { createMetrics, type Metrics } from './platform/telemetry/metrics.ts';
import { serveOps } from './platform/telemetry/ops.ts';
import { createReadiness, type Readiness } from './platform/telemetry/readiness.ts';
import { startTracing } from './platform/telemetry/tracing.ts';
import { SERVICE_DEFINITIONS, SERVICE_ROLES, type ServiceRole } from './proto/services.ts';
import { cryptoPools } from './services/crypto-pools.ts';
import { SCHEMAS, SERVICES, type ServiceDependencies } from './services/index.ts';

/** The roles that a process can take, alone or together. `migrate`, which ends by itself, is not one of them. */
export const ROLES: readonly string[] = [...SERVICE_ROLES, 'gateway'];

/** How long a start waits for Redis before it continues without it, in milliseconds. */
const REDIS_TIMEOUT_MS = 2_000;

export interface Running {
    /** Drains and closes everything, last opened first. */
    stop(): Promise<void>;
    urls: { http?: string; ops?: string; grpc?: string };
}

/** What all roles of a process share. */
interface Process {
    config: Config;
    log: Log;
    metrics: Metrics;
    redis: Redis;
    clock: Clock;
    serviceRegistry: ServiceRegistry;
    closing: AsyncDisposableStack;
}

/** Runs `roles` in this process. Resolves when all of them serve or, for `migrate`, when that is done. */
export async function run(roles: readonly string[], env: Environment): Promise<Running> {
    const config = loadConfig(env);
    const log = createLog({ level: config.LOG_LEVEL, file: config.LOG_FILE, name: roles.join('+') });
    if (roles.includes('migrate')) {
        const applied = await migrate(required(config, 'DATABASE_URL'), { schemas: SCHEMAS, log });
        log.info({ applied }, 'migrated');
        return { stop: async () => {}, urls: {} };
    }
    const unknown = roles.find((role) => !ROLES.includes(role));
    if (unknown !== undefined || roles.length === 0) {
        throw new ConfigError(`Name one or more of the roles ${ROLES.join(', ')}, all or migrate.`);
    }
    const closing = new AsyncDisposableStack();
    try {
        return await start(roles, config, log, closing);
    } catch (error) {
        await closing.disposeAsync();
        throw error;
    }
}

async function start(
    roles: readonly string[],
    config: Config,
    log: Log,
    closing: AsyncDisposableStack,
): Promise<Running> {
    const { OTLP_ENDPOINT: endpoint, TRACE_SAMPLE: sample } = config;
    const tracing = await startTracing({ endpoint, sample, service: roles.join('+'), log });
    closing.defer(() => tracing.stop());
    const metrics = createMetrics();
    exposeQueues(metrics);
    exposeLog(metrics);
    exposeGuard(metrics);
    const readiness = createReadiness({ log });
    metrics.gauge('process_serving', 'Whether the process has started, and is not stopping.', () =>
        readiness.serving ? 1 : 0,
    );
    const urls: Running['urls'] = { ops: await startOps(config, { metrics, log, readiness, closing }) };

    const redis = openRedis({ url: required(config, 'REDIS_URL'), log });
    closing.defer(() => redis.disconnect());
    metrics.gauge('redis_connected', 'Whether there is a connection to Redis.', () =>
        redis.status === 'ready' ? 1 : 0,
    );
    await awaitRedis(redis, REDIS_TIMEOUT_MS);
    const tls = tlsOf(config);
    if (tls) exposeExpiry(metrics, tls);
    const found = serviceRegistry({
        local_roles: roles,
        addressOf: (role) => required(config, addressSetting(role)),
        service_token: required(config, 'SERVICE_TOKEN')[0],
        tls,
        log,
        metrics,
    });
    closing.defer(() => found.close());
    const clock = createClock({ metrics, log });
    closing.defer(() => clock.stop());
    const shared: Process = { config, log, metrics, redis, clock, serviceRegistry: found, closing };

    const service_roles = SERVICE_ROLES.filter((role) => roles.includes(role));
    if (service_roles.length > 0) urls.grpc = await startServices(service_roles, shared, readiness);
    if (roles.includes('gateway')) {
        urls.http = await startHttp(shared, { has_database: service_roles.length > 0 });
    }
    readiness.addCheck('clock', () => clock.check());
    // Only once: a service that stops later would take every gateway out of rotation at the same time.
    for (const [role, connection] of found.connections)
        readiness.addCheck(role, async () => connection.assertReached());
    // Not before: an uncaught error during the start must end the process.
    const uncaught = surviveUncaught({ log, metrics });
    closing.defer(() => uncaught.stop());
    readiness.serving = true;
    closing.defer(() => {
        readiness.serving = false;
    });
    log.info({ roles, ...urls }, 'serving');
    return { stop: () => closing.disposeAsync(), urls };
}

/** Starts first and stops last, so that the state of the process can always be queried. */
async function startOps(
    { HOST: host, OPS_PORT: port }: Config,
    shared: Pick<Process, 'metrics' | 'log' | 'closing'> & { readiness: Readiness },
): Promise<string> {
    const { metrics, log, readiness, closing } = shared;
    const ops = await serveOps({ host, port, metrics, log, failingChecks: readiness.failingChecks });
    closing.defer(() => ops.stop());
    return ops.url;
}

async function startServices(roles: readonly ServiceRole[], shared: Process, readiness: Readiness): Promise<string> {
    const { config, log, metrics, redis, clock, closing } = shared;
    const url = required(config, 'DATABASE_URL');
    await awaitMigrations(url, SCHEMAS, log);
    const pooled = config.DATABASE_POOLER === 'transaction';
    const db = await openDatabase({ url, size: config.DATABASE_POOL, pooled, metrics });
    closing.defer(() => db.close());
    await clock.follow(() => readDatabaseClock(db));

    const { signatures, passwords } = cryptoPools({ config, metrics, closing });
    const { serviceClient } = shared.serviceRegistry;
    const dependencies = { config, db, redis, log, metrics, clock: clock.now, signatures, passwords, serviceClient };
    const methods = roles.flatMap((role) => SERVICES[role].build(dependencies));
    const dispatch = shared.serviceRegistry.offer(methods);
    startJobs(roles, dependencies, closing);
    const server = await serve({
        methods,
        dispatch,
        host: config.HOST,
        port: config.GRPC_PORT,
        service_tokens: required(config, 'SERVICE_TOKEN'),
        service_callers: config.SERVICE_CALLERS,
        tls: tlsOf(config),
        metrics,
        ready: async () => (await readiness.failingChecks()).length === 0,
    });
    closing.defer(() => server.stop());
    readiness.addCheck('database', () => db.ping());
    return server.address;
}

function startJobs(
    roles: readonly ServiceRole[],
    dependencies: ServiceDependencies,
    closing: AsyncDisposableStack,
): void {
    const { config, log } = dependencies;
    const metrics = jobMetrics(dependencies.metrics);
    for (const role of roles) {
        const jobs = SERVICES[role].jobs?.(dependencies);
        if (!jobs) continue;
        const scheduled = scheduleJobs({ redis_url: required(config, 'REDIS_URL'), role, jobs, log, metrics });
        closing.defer(() => scheduled.stop());
    }
}

async function startHttp(shared: Process, { has_database }: { has_database: boolean }): Promise<string> {
    const { config, log, metrics, redis, clock, serviceRegistry: found, closing } = shared;
    const services = found.serviceClients(SERVICE_DEFINITIONS);
    // Identity issues the tokens that are verified here, and its clock follows the database's.
    const readTime = async () => (await services.identity.getTime({}, ownContext())).unix_ms;
    if (!has_database) void clock.follow(readTime);
    const { version } = manifest;
    const gateway = await startGateway({ config, services, redis, version, log, metrics, clock: clock.now });
    closing.defer(() => gateway.stop());
    return gateway.url;
}

type AddressSetting = `${Uppercase<ServiceRole>}_ADDRESS`;

function addressSetting(role: string): AddressSetting {
    return `${role.toUpperCase()}_ADDRESS` as AddressSetting; // peers are asked for by their role
}

if (import.meta.main) {
    const env = processEnvironment();
    const asked = process.argv.slice(2);
    // From the first moment: in a container this is process 1, which ignores signals that it does not handle.
    let stop: Running['stop'] = async () => {};
    stopOnSignals(() => stop());
    try {
        const running = await run(asked.includes('all') ? ROLES : asked, env);
        if (asked.includes('migrate')) process.exit(0);
        stop = running.stop;
        if (loadConfig(env).EXIT_WITH_PARENT === '1') exitWithParent();
    } catch (error) {
        if (!(error instanceof ConfigError || error instanceof SchemaTooNew)) throw error;
        console.error(error.message);
        process.exit(1);
    }
}
