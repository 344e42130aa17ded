import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { Decision } from '../../platform/access/limit-decision.ts';
import { overError } from '../../platform/context.ts';
import type { Connections } from '../../platform/http/http-connections.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { type Metrics, secondsSince } from '../../platform/telemetry/metrics.ts';
import { traceIdOf } from '../../platform/telemetry/span.ts';
import type { Overload } from '../admission/overload.ts';
import type { Endpoint } from '../endpoint.ts';
import { HEALTH_PATH } from '../endpoints/health.ts';
import type { Engine } from '../engine.ts';
import type { StaticPage } from '../pages.ts';
import { type Client, clientOf, UNKNOWN } from './address.ts';
import { application, messageClasses } from './application.ts';
import { bodyBudget } from './body-budget.ts';
import { hasBody } from './body-length.ts';
import { type ClientErrors, clientErrors } from './client-errors.ts';
import { gatewayConnections } from './connections.ts';
import type { Cors } from './cors.ts';
import { beginExchange, type Exchange, MAX_HEADERS } from './exchange.ts';
import type { BodyOptions } from './incoming-body.ts';
import { originForm } from './target.ts';
import { SHED, turnAway } from './turn-away.ts';

/** How long a connection may be silent, in milliseconds. No call takes longer. Beyond it: the connection is closed. */
const SILENT_MS = 150_000;

interface GatewayOptions {
    engine: Engine;
    /** The state of the rate limit, for answers to requests that could not be parsed. */
    unparsedDecision(): Decision;
    endpoints: readonly Endpoint[];
    pages: readonly StaticPage[];
    cors: Cors;
    trustedProxies: number;
    /** A connection without a request is closed after this time, in seconds. */
    keepAliveSeconds: number;
    overload: Overload;
    isInternal(request: IncomingMessage): boolean;
    log: Log;
    metrics: Metrics;
}

/**
 * Time limits of a connection, in milliseconds, and the largest header, in bytes. Beyond it: 431 for a header, 408 for
 * a header that takes too long.
 */
const CONNECTION_OPTIONS = {
    // checkHeaders checks the Host header, because Node's own answer has no envelope.
    requireHostHeader: false,
    maxHeaderSize: 16 << 10,
    headersTimeout: 10_000,
    // IncomingBody limits the time of each body: one that is read in pieces may take longer than the others.
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
};

/**
 * The public HTTP server, not yet listening. Routes come from the endpoint table. All other requests are answered in
 * the envelope.
 */
export function gatewayServer(options: GatewayOptions): Server {
    const { engine, unparsedDecision: decision, log, metrics } = options;
    const app = application(options);
    const keepAliveTimeout = options.keepAliveSeconds * 1_000;
    const server = createServer({ ...CONNECTION_OPTIONS, keepAliveTimeout, ...messageClasses(app) });
    // checkHeaders refuses them in the form of the path. Thousands of fields take milliseconds, so Node refuses these.
    server.maxHeadersCount = 2 * MAX_HEADERS;
    server.timeout = SILENT_MS;
    const connections = gatewayConnections(server, metrics);
    const parserErrors = clientErrors({ fail: engine.fail, decision, log });
    const listener = requestListener(options, { app, connections, parserErrors });
    server.on('request', listener);
    server.on('checkContinue', (request, response) => listener(request, response, asker(request, response)));
    server.on('checkExpectation', listener);
    server.on('clientError', parserErrors.answer);
    server.on('connect', (_request, socket) => parserErrors.refuseTunnel(socket as Socket)); // HTTP uses net sockets
    server.on('error', (err) => log.error({ err }, 'http server'));
    server.on('close', () => connections.stop());
    return server;
}

/**
 * Returns a function that asks the client for the body (100 Continue) of a request with `Expect: 100-continue`. Until
 * then the answer closes the connection: nobody could know whether the next bytes are the body or another request.
 */
function asker(request: IncomingMessage, response: ServerResponse): (() => void) | undefined {
    if (!hasBody(request)) return undefined;
    response.setHeader('Connection', 'close');
    return () => {
        if (response.headersSent) return;
        if (request.headers.upgrade === undefined) response.removeHeader('Connection');
        response.writeContinue();
    };
}

/** Returns the listener that begins each request and passes it to Express. */
function requestListener(
    options: GatewayOptions,
    { app, connections, parserErrors }: { app: Express; connections: Connections; parserErrors: ClientErrors },
) {
    const begin = beginner(options);
    let hasWarned = false;
    return (request: IncomingMessage, response: ServerResponse, ask?: () => void): void => {
        const client = clientOf(request, options.trustedProxies);
        if (client.ip === UNKNOWN && !hasWarned && request.headers['x-forwarded-for'] !== undefined) {
            hasWarned = true;
            options.log.warn('X-Forwarded-For names no IP address for a client: check the proxies and TRUST_PROXY');
        }
        if (!connections.begin(response, client.address)) return;
        // Node loses the requests that are pipelined behind an upgrade request, so its answer closes the connection.
        if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
        // Express would answer a target that it cannot parse without our envelope.
        request.url = originForm(request.url ?? '/');
        parserErrors.began(response);
        response.on('close', () => parserErrors.ended(response));
        const late = () => parserErrors.late(response);
        if (begin(request, response, { ...client, ask, late })) app(request, response);
    };
}

/** Returns a function that begins the exchange of a request. Under overload it refuses and returns undefined. */
function beginner(options: GatewayOptions) {
    const { unparsedDecision: decision, cors, overload, isInternal, log, metrics } = options;
    const observe = observer(options);
    const finish = finisher(options, observe);
    const budget = bodyBudget(metrics);
    const refuse = turnAway({ decision, cors, observe, log });
    return (
        request: IncomingMessage,
        response: ServerResponse,
        client: Client & Pick<BodyOptions, 'ask' | 'late'>,
    ): Exchange | undefined => {
        const mayAlways = request.url === HEALTH_PATH || isInternal(request);
        if (!mayAlways && overload.isFull()) {
            refuse(request, response, { ...client, budget });
            return undefined;
        }
        const exchange = beginExchange(request, response, { ...client, budget });
        response.on('close', () => {
            if (!response.writableFinished) exchange.cancellation.cancel();
            exchange.body.discard();
            finish(exchange);
        });
        if (!mayAlways) overload.enter(exchange);
        return exchange;
    };
}

/** What the metrics show of an answer. `reason` says why it is 503. */
interface Seen {
    route: string;
    method: string;
    status: number;
    reason: string | undefined;
}
type Observe = (seen: Seen, began: number) => number;

/** Records an answer in the metrics. Returns the milliseconds since the request was read. */
function observer({ endpoints, metrics }: GatewayOptions): Observe {
    const duration = metrics.histogram({
        name: 'http_request_duration_seconds',
        help: 'Time from reading a request to passing its answer to the socket, by endpoint and status.',
        labels: ['route', 'method', 'status'],
    });
    // Node accepts 34 methods from any client, and each would add time series.
    const methods = new Set<string>(['HEAD', 'OPTIONS', ...endpoints.map(({ method }) => method)]);
    const unavailable = metrics.counter({
        name: 'http_unavailable_total',
        help: 'Answers with status 503, by what failed or refused the call.',
        labels: ['reason'],
    });
    unavailable.inc({ reason: SHED }, 0);
    return ({ route, method, status, reason }, began) => {
        const seconds = secondsSince(began);
        if (reason !== undefined) unavailable.inc({ reason });
        duration.observe({ route, method: methods.has(method) ? method : 'other', status }, seconds);
        return Math.round(seconds * 1e6) / 1e3;
    };
}

/** Ends the exchange: records its metrics and writes its log line. */
function finisher({ overload, log }: GatewayOptions, observe: Observe): (exchange: Exchange) => void {
    return (exchange) => {
        const { request, response, route, began, request_id, principal, cancellation, span } = exchange;
        const { method = '' } = request;
        const failure = exchange.failure ?? (cancellation.isCancelled ? overError(exchange) : undefined);
        const isAborted = failure?.kind === 'cancelled';
        // The status line of a list was sent before the list broke off.
        const isBroken = response.headersSent && !response.writableFinished && !isAborted;
        const status = failure && (isBroken || !response.headersSent) ? failure.httpStatus : response.statusCode;
        const reason = status === 503 && failure ? (failure.reason ?? failure.kind) : undefined;
        const durationMs = observe({ route, method, status, reason }, began);
        overload.leave(exchange);
        span.attribute('http.response.status_code', status);
        span.attribute('request_id', request_id);
        span.finish(failure);
        log.info({
            request_id,
            trace_id: traceIdOf(exchange),
            method,
            route,
            status,
            duration_ms: durationMs,
            user_id: principal?.user_id,
            key_id: principal?.key_id,
            session_id: principal?.session_id,
            target: exchange.target,
            error: failure?.kind,
            reason,
            aborted: isAborted || undefined,
            ...auditOf(exchange),
        });
    };
}

function auditOf({ audit, address, on_behalf_of }: Exchange) {
    return audit ? { audit, address, on_behalf_of } : {};
}
