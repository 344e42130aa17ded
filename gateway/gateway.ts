import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, required } from '../platform/process/config.ts';
import type { Redis } from '../platform/redis/redis.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { admitter } from './admission/admit.ts';
import { authenticator, internalSecret } from './admission/auth.ts';
import { limiter } from './admission/limit.ts';
import { overload } from './admission/overload.ts';
import { sessionTokens } from './admission/session-tokens.ts';
import { endpointTable } from './endpoints/index.ts';
import { engine } from './engine.ts';
import { cors } from './http/cors.ts';
import { gatewayServer } from './http/server.ts';
import { listReader } from './lists.ts';
import { pages } from './pages.ts';
import type { Services } from './services.ts';

/** Internal calls per minute. The number is so large that the bucket only provides the headers (decision A12). */
const INTERNAL_LIMIT = 1_000_000;
/**
 * During a stop the gateway accepts connections and requests for this long (ms), and sends `Connection: close` with
 * each answer. Closing at once would lose the requests that clients are just sending. In this time load balancers see
 * that the process is not ready, and active clients learn that their connection closes.
 */
const LEAVE_TAKING_MS = 1_000;
/** New connections that wait in the kernel to be accepted. The system's own bound may be lower. */
const BACKLOG = 4_096;
/** Requests that are still in progress this long (ms) after that are aborted. */
const DRAIN_MS = 10_000;

export interface Gateway {
    /** http://host:port */
    url: string;
    /** Sends `Connection: close` with every answer, waits for the requests in progress, then closes. */
    stop(): Promise<void>;
}

/** The HTTP side of the service: it receives requests and calls the services. */
export async function startGateway(ground: {
    config: Config;
    services: Services;
    redis: Redis;
    version: string;
    log: Log;
    metrics: Metrics;
    /** Milliseconds since 1970. */
    clock(): number;
}): Promise<Gateway> {
    const { config, services, redis, version, log, metrics, clock } = ground;
    const limits = limiter({
        redis,
        shards: config.REDIS_SHARDS,
        window_ms: config.RATE_WINDOW_SECONDS * 1_000,
        log,
        metrics,
        clock,
    });
    const admission = admitter({
        authenticator: authenticator({
            services,
            limiter: limits,
            session_tokens: sessionTokens({ ...services, clock }),
            key_format: { brand: config.KEY_BRAND, environment: config.KEY_ENVIRONMENT },
        }),
        limiter: limits,
        limits: {
            anonymous: config.ANONYMOUS_LIMIT,
            unknown_key: config.UNKNOWN_KEY_LIMIT,
            internal: INTERNAL_LIMIT,
        },
        log,
    });
    const endpoints = endpointTable({ version, cache: () => redis.ping(), clock });
    const secrets = [required(config, 'INTERNAL_SECRET'), config.INTERNAL_SECRET_PREVIOUS];
    const isInternal = internalSecret(secrets.filter((secret) => secret !== undefined));
    const load = overload(metrics);
    const server = gatewayServer({
        unparsed_decision: () => admission.internal().decision,
        engine: engine({
            services,
            admitter: admission,
            isInternal,
            readList: listReader(),
            overload: load,
            log,
        }),
        endpoints,
        pages: pages(endpoints, version),
        cors: cors(config.CORS_ORIGINS.split(',').filter((origin) => origin !== '')),
        trusted_proxies: config.TRUST_PROXY,
        overload: load,
        isInternal,
        log,
        metrics,
    });
    return { url: await listen(server, config), stop: () => close(server) };
}

async function listen(server: Server, { HOST, PORT }: Config): Promise<string> {
    server.listen({ port: PORT, host: HOST, backlog: BACKLOG });
    await once(server, 'listening');
    const bound = server.address();
    return `http://${HOST}:${typeof bound === 'object' && bound ? bound.port : PORT}`;
}

async function close(server: Server): Promise<void> {
    for (const event of ['request', 'checkExpectation']) server.prependListener(event, endConnection);
    await delay(LEAVE_TAKING_MS);
    const closed = once(server, 'close');
    server.close();
    // A kept-alive connection becomes idle when its last answer is sent.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(force);
}

function endConnection(_request: IncomingMessage, response: ServerResponse): void {
    response.shouldKeepAlive = false;
}
