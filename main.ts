import { once } from 'node:events';
import manifest from './package.json' with { type: 'json' };
import { processAccess } from './platform/access/process-access.ts';
import type { RequestBatch } from './platform/access/request-counts.ts';
import { ownContext } from './platform/context.ts';
import { serveOps } from './platform/http/ops.ts';
import { measureClock } from './platform/postgres/clock-offset.store.ts';
import { inStep, startOrEnd } from './platform/preflight/fatal.ts';
import { preflightRedis } from './platform/preflight/redis.ts';
import {
    type Config,
    ConfigError,
    type Environment,
    loadConfig,
    processEnvironment,
    required,
    variableNames,
} from './platform/process/config.ts';
import { refuseUnknownMethods } from './platform/process/known-methods.ts';
import { exitWithParent, stopOnSignals } from './platform/process/process.ts';
import { addressSetting } from './platform/process/role-settings.ts';
import { misspeltSettings } from './platform/process/unknown-settings.ts';
import { exposeQueues } from './platform/queue-stats.ts';
import { awaitRedis, openRedis, type Redis } from './platform/redis/redis.ts';
import { methodPaths } from './platform/rpc/definition.ts';
import { serviceRegistry } from './platform/rpc/service-registry.ts';
import { exposeExpiry, tlsOf } from './platform/rpc/tls.ts';
import { createLog, exposeLog, type Log } from './platform/telemetry/log.ts';
import { createMetrics } from './platform/telemetry/metrics.ts';
import { createReadiness, type Readiness } from './platform/telemetry/readiness.ts';
import { startTracing } from './platform/telemetry/tracing.ts';
import { logWarnings, surviveUncaught } from './platform/telemetry/uncaught.ts';
import { SERVICE_DEFINITIONS, SERVICE_ROLES } from './proto/services.ts';
import type { ServiceProcess } from './services/start.ts';

/** The roles that a process can run, alone or together. `migrate` and `rewrap` are none, because they end by themselves. */
export const ROLES: readonly string[] = [...SERVICE_ROLES, 'gateway'];

/** How long a start waits for Redis before it continues without it, in milliseconds. */
const REDIS_TIMEOUT_MS = 2_000;

export interface Running {
    /** Drains and closes everything, in the reverse order of opening. */
    stop(): Promise<void>;
    urls: { http?: string; ops?: string; grpc?: string };
}

/** The objects that all roles of a process share. */
type Process = Omit<ServiceProcess, 'readiness' | 'tls'>;

/**
 * Runs `roles` in this process. Resolves when all of them serve. If `migrate` is among them, only the migrations run,
 * and the call resolves when they are applied. `rewrap` likewise only wraps the data keys of managed issuers with the
 * current key-encryption key, or does what the options behind it say. Throws ConfigError if a role is unknown or a setting
 * is invalid. The modules of services and gateway are loaded only where they run: a launcher and most roles need one of
 * the two or none.
 */
export async function run(roles: readonly string[], env: Environment): Promise<Running> {
    const config = loadConfig(env, SERVICE_ROLES);
    refuseUnknownMethods(config.SERVICE_CALLERS, Object.values(SERVICE_DEFINITIONS).flatMap(methodPaths));
    const log = logWarnings(createLog({ level: config.LOG_LEVEL, file: config.LOG_FILE, name: roles.join('+') }));
    const misspelt = misspeltSettings(env, variableNames(SERVICE_ROLES));
    if (Object.keys(misspelt).length > 0) log.warn({ misspelt }, 'variables that look like misspelt settings');
    if (roles.includes('migrate')) {
        const { migrateDatabases } = await import('./services/databases.ts');
        await migrateDatabases(config, log);
        return { stop: async () => {}, urls: {} };
    }
    if (roles[0] === 'rewrap') {
        const { rewrap } = await import('./services/signing/key-encryption/rewrap-command.ts');
        const { abandonLists } = await import('./services/credentials/status-lists/abandon.store.ts');
        await rewrap({ config, args: roles.slice(1), print: (line) => log.info(line), abandonLists });
        return { stop: async () => {}, urls: {} };
    }
    const unknown = roles.find((role) => !ROLES.includes(role));
    if (unknown !== undefined || roles.length === 0) {
        throw new ConfigError(`Name one or more of the roles ${ROLES.join(', ')}, all, migrate or rewrap.`);
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
    const readiness = createReadiness({ log });
    metrics.gauge('process_serving', 'Whether the process has started, and is not stopping.', () =>
        readiness.serving ? 1 : 0,
    );
    const urls: Running['urls'] = {
        ops: await inStep('operations port', () => startOps(config, { metrics, log, readiness, closing })),
    };

    const redis = await connectRedis(config, { metrics, log, closing });
    const tls = tlsOf(config);
    if (tls) exposeExpiry(metrics, tls);
    const registry = serviceRegistry({
        localRoles: roles,
        addressOf: (role) => required(config, addressSetting(role)),
        serviceToken: required(config, 'SERVICE_TOKEN')[0],
        tls,
        frames: config.RPC_FRAMES === '1',
        log,
        metrics,
    });
    closing.defer(() => registry.close());
    const connectUsage = () => {
        const usage = registry.backgroundClient('usage', SERVICE_DEFINITIONS.usage);
        return (batch: RequestBatch) => usage.recordRequests(batch, ownContext());
    };
    const access = processAccess({ config, redis, clock: Date.now, log, metrics, closing, connectUsage });
    const shared: Process = { config, log, metrics, redis, ...access, serviceRegistry: registry, closing };

    const serviceRoles = SERVICE_ROLES.filter((role) => roles.includes(role));
    if (serviceRoles.length > 0)
        urls.grpc = await inStep('services', async () => {
            const { startServices } = await import('./services/start.ts');
            return startServices(serviceRoles, { ...shared, tls, readiness });
        });
    if (roles.includes('gateway')) {
        if (serviceRoles.length === 0) {
            const { getTime } = registry.serviceClient('identity', SERVICE_DEFINITIONS.identity);
            const read = async () => (await getTime({}, ownContext())).unix_ms;
            closing.defer(measureClock(read, { metrics, log, readiness }));
        }
        urls.http = await inStep('gateway', () => startHttp(shared));
    }
    // The check asks only whether the service was ever reached. If it failed whenever a service stopped, every gateway
    // would leave the rotation at the same time.
    for (const [role, connection] of registry.connections)
        readiness.addCheck(role, async () => connection.assertReached(), { required: registry.needs(role) });
    // Installed only now, because an uncaught error during the start must end the process.
    const uncaught = surviveUncaught({ log, metrics });
    closing.defer(() => uncaught.stop());
    readiness.serving = true;
    closing.defer(() => {
        readiness.serving = false;
    });
    log.info({ roles, ...urls }, 'serving');
    return { stop: () => closing.disposeAsync(), urls };
}

/** Starts the operations server. It starts first and stops last, so that the process can always report its state. */
async function startOps(
    { HOST, OPS_HOST: host = HOST, OPS_PORT: port }: Config,
    shared: Pick<Process, 'metrics' | 'log' | 'closing'> & { readiness: Readiness },
): Promise<string> {
    const { metrics, log, readiness, closing } = shared;
    const { failingChecks, remarks } = readiness;
    const ops = await serveOps({ host, port, metrics, log, failingChecks, remarks });
    closing.defer(() => ops.stop());
    return ops.url;
}

/** Opens the connection to Redis. A start continues without Redis if it does not answer in time. */
async function connectRedis(config: Config, shared: Pick<Process, 'metrics' | 'log' | 'closing'>): Promise<Redis> {
    const redis = openRedis({ url: required(config, 'REDIS_URL'), log: shared.log });
    shared.closing.defer(() => redis.disconnect());
    shared.metrics.gauge('redis_connected', 'Whether there is a connection to Redis.', () =>
        redis.status === 'ready' ? 1 : 0,
    );
    await awaitRedis(redis, REDIS_TIMEOUT_MS);
    await preflightRedis(redis);
    return redis;
}

async function startHttp(shared: Process): Promise<string> {
    const { config, log, metrics, redis, limiter, requestCounts, serviceRegistry: registry, closing } = shared;
    const services = registry.serviceClients(SERVICE_DEFINITIONS);
    const { version } = manifest;
    const { startGateway } = await import('./gateway/gateway.ts');
    const gateway = await startGateway({
        config,
        services,
        redis,
        limiter: limiter(),
        requestCounts: requestCounts(),
        version,
        log,
        metrics,
        clock: Date.now,
    });
    closing.defer(() => gateway.stop());
    return gateway.url;
}

/**
 * The settings that the launcher sends. It starts this process before it knows them, so that the modules are loaded while
 * the databases start.
 */
async function sentSettings(): Promise<Environment> {
    const sent = once(process, 'message');
    await Promise.all([import('./services/start.ts'), import('./gateway/gateway.ts')]);
    const [settings] = await sent;
    return settings;
}

if (import.meta.main) {
    const asked = process.argv.slice(2);
    const hasLauncher = processEnvironment()['EXIT_WITH_PARENT'] === '1';
    // Signals are handled from the start. In a container this is process 1, and the kernel ignores signals that process
    // 1 does not handle.
    let stop: Running['stop'] = async () => {};
    stopOnSignals(() => stop(), { hasLauncher });
    const settings = async () => (hasLauncher && process.connected ? sentSettings() : processEnvironment());
    const running = await startOrEnd(asked, async () => run(asked.includes('all') ? ROLES : asked, await settings()));
    if (asked.includes('migrate') || asked[0] === 'rewrap') process.exit(0);
    stop = running.stop;
    if (hasLauncher) exitWithParent();
}
