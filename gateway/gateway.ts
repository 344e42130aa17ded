import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Limiter } from '../platform/access/limiter.ts';
import type { RequestCounts } from '../platform/access/request-counts.ts';
import { probeRedis } from '../platform/preflight/redis.ts';
import { type Config, required } from '../platform/process/config.ts';
import { listen } from '../platform/process/held-ports.ts';
import type { Redis } from '../platform/redis/redis.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { admission } from './admission/admission.ts';
import { authenticator } from './admission/authenticator.ts';
import { internalSecret } from './admission/internal-secret.ts';
import { overload } from './admission/overload.ts';
import { sessionVerifier } from './admission/session-verifier.ts';
import type { Endpoint } from './endpoint.ts';
import { interfaceParts } from './endpoints/index.ts';
import { engine } from './engine.ts';
import { cors } from './http/cors.ts';
import { gatewayServer } from './http/server.ts';
import { listReader } from './lists.ts';
import { pages } from './pages.ts';
import type { Services } from './services.ts';

/**
 * Limit of internal calls per minute. It is so large that its bucket only fills the header fields (decision A12).
 * Beyond it: nothing happens, because trusted callers are not limited.
 */
const INTERNAL_LIMIT = 1_000_000;
/**
 * When it stops, the gateway still accepts connections and requests for this long (ms), and sends `Connection: close`
 * with each answer. Closing at once would lose the requests that clients are sending at that moment. During this time
 * load balancers see that the process is not ready, and active clients learn that their connection will close.
 */
const LEAVE_TAKING_MS = 1_000;
/**
 * How long the gateway waits for requests in progress when it stops, after LEAVE_TAKING_MS, in milliseconds. Beyond it:
 * they are aborted.
 */
const DRAIN_MS = 10_000;

export interface Gateway {
    /** http://host:port */
    url: string;
    /** Sends `Connection: close` with every answer, waits for the requests in progress, then closes. */
    stop(): Promise<void>;
}

/** Starts the HTTP server, which receives requests and calls the services. */
export async function startGateway(dependencies: {
    config: Config;
    services: Services;
    redis: Redis;
    limiter: Limiter;
    requestCounts: RequestCounts;
    version: string;
    log: Log;
    metrics: Metrics;
    /** The current time, in milliseconds since 1970. */
    clock(): number;
}): Promise<Gateway> {
    const { config, services, redis, limiter, requestCounts, version, log, metrics, clock } = dependencies;
    const secrets = [required(config, 'INTERNAL_SECRET'), config.INTERNAL_SECRET_PREVIOUS];
    const isInternal = internalSecret(secrets.filter((secret) => secret !== undefined));
    const admitted = admission({
        authenticator: authenticator({
            services,
            limiter,
            sessionVerifier: sessionVerifier({ ...services, clock }),
            keyFormat: { brand: config.KEY_BRAND, environment: config.KEY_ENVIRONMENT },
        }),
        limiter,
        requestCounts,
        limits: {
            anonymous: config.ANONYMOUS_LIMIT,
            unknownKey: config.UNKNOWN_KEY_LIMIT,
            internal: INTERNAL_LIMIT,
        },
        isInternal,
        log,
        metrics,
        clock,
    });
    const parts = interfaceParts({ version, cache: () => probeRedis(redis), clock });
    const endpoints = parts.flatMap((part): readonly Endpoint[] => part.endpoints);
    const shedding = overload(metrics);
    const server = gatewayServer({
        unparsedDecision: () => admitted.unlimited().decision,
        engine: engine({
            services,
            admission: admitted,
            readList: listReader(),
            overload: shedding,
            log,
        }),
        endpoints,
        pages: pages(parts, version),
        cors: cors(config.CORS_ORIGINS, endpoints),
        trustedProxies: config.TRUST_PROXY,
        keepAliveSeconds: config.KEEP_ALIVE_SECONDS,
        overload: shedding,
        isInternal,
        log,
        metrics,
    });
    const { HOST: host, PORT: port } = config;
    return { url: `http://${host}:${await listen(server, { host, port })}`, stop: () => close(server) };
}

async function close(server: Server): Promise<void> {
    for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, endConnection);
    await delay(LEAVE_TAKING_MS);
    const closed = once(server, 'close');
    server.close();
    // A kept-alive connection becomes idle when its last answer has been sent, so idle ones are closed repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(force);
}

function endConnection(_request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('Connection', 'close');
}
