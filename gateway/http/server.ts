import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { overError } from '../../platform/context.ts';
import type { Connections } from '../../platform/http/http-connections.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { type Metrics, secondsSince } from '../../platform/telemetry/metrics.ts';
import { traceIdOf } from '../../platform/telemetry/span.ts';
import type { Decision } from '../admission/limit-decision.ts';
import type { Overload } from '../admission/overload.ts';
import type { Endpoint } from '../endpoint.ts';
import { HEALTH_PATH } from '../endpoints/health.ts';
import type { Engine } from '../engine.ts';
import type { StaticPage } from '../pages.ts';
import { clientAddress } from './address.ts';
import { application, messageClasses } from './application.ts';
import { bodyBudget } from './body-budget.ts';
import { type ClientErrors, clientErrors } from './client-errors.ts';
import { gatewayConnections } from './connections.ts';
import type { Cors } from './cors.ts';
import { beginExchange, type Exchange } from './exchange.ts';
import { hasBody } from './incoming-body.ts';
import { pipelinedTurns } from './pipelined-turns.ts';
import { originForm } from './target.ts';
import { turnAway } from './turn-away.ts';

/** A connection that is silent for this long (ms) is closed. No call takes longer. */
const SILENT_MS = 150_000;

export interface GatewayOptions {
    engine: Engine;
    /** The limit's state, for answers to requests that could not be parsed. */
    unparsed_decision(): Decision;
    endpoints: readonly Endpoint[];
    pages: readonly StaticPage[];
    cors: Cors;
    trusted_proxies: number;
    overload: Overload;
    isInternal(request: IncomingMessage): boolean;
    log: Log;
    metrics: Metrics;
}

/** Time limits of a connection, in milliseconds, and the largest header, in bytes. */
const CONNECTION_OPTIONS = {
    // checkHeaders judges it: Node's own answer has no envelope.
    requireHostHeader: false,
    maxHeaderSize: 16 << 10,
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
};

/**
 * The public HTTP server, not yet listening. Routes come from the endpoint table; everything else is answered in the
 * envelope.
 */
export function gatewayServer(options: GatewayOptions): Server {
    const { engine, unparsed_decision: decision, log, metrics } = options;
    const app = application(options);
    const server = createServer({ ...CONNECTION_OPTIONS, ...messageClasses(app) });
    server.maxHeadersCount = 0; // checkHeaders judges it: Node drops further fields silently
    server.timeout = SILENT_MS;
    const connections = gatewayConnections(server, metrics);
    const client_errors = clientErrors({ fail: engine.fail, decision, log });
    const listener = requestListener(options, { app, connections, client_errors });
    server.on('request', listener);
    server.on('checkExpectation', listener);
    server.on('clientError', client_errors.answer);
    server.on('connect', (_request, socket) => client_errors.refuseTunnel(socket as Socket)); // http sits on net
    server.on('error', (err) => log.error({ err }, 'http server'));
    server.on('close', () => connections.stop());
    return server;
}

/** Begins each request, at once or in its turn, and hands it to Express. */
function requestListener(
    options: GatewayOptions,
    { app, connections, client_errors }: { app: Express; connections: Connections; client_errors: ClientErrors },
) {
    const begin = beginner(options, connections);
    const beginInTurn = pipelinedTurns();
    return (request: IncomingMessage, response: ServerResponse): void => {
        const address = clientAddress(request, options.trusted_proxies);
        const inProgress = connections.begin(response, address);
        if (inProgress === 0) return;
        // Node loses what is pipelined behind a request for an upgrade.
        if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
        // Express would answer a target that it cannot parse without our envelope.
        request.url = originForm(request.url ?? '/');
        client_errors.began(response);
        // A body is collected from now on. A pipelined request without one costs next to nothing until its turn.
        const begun = hasBody(request) ? begin(request, response, address) : undefined;
        beginInTurn(request.socket, inProgress === 1, () => {
            // The client has disconnected, the request was refused, or its body was not valid HTTP.
            if (request.socket.destroyed || response.headersSent) return;
            if (begun ?? begin(request, response, address)) app(request, response);
        });
    };
}

/** Begins the exchange of a request, or refuses the request under overload: then there is no exchange. */
function beginner(options: GatewayOptions, connections: Connections) {
    const { unparsed_decision: decision, cors, overload, isInternal, log, metrics } = options;
    const observe = observer(options);
    const finish = finisher(options, observe);
    const budget = bodyBudget(metrics);
    const refuse = turnAway({ decision, cors, observe, log });
    return (request: IncomingMessage, response: ServerResponse, address: string): Exchange | undefined => {
        const mayAlways = request.url === HEALTH_PATH || isInternal(request);
        const onRead = () => connections.readBody(request.socket);
        if (!mayAlways && overload.isFull()) {
            refuse(request, response, { address, budget, onRead });
            return undefined;
        }
        const exchange = beginExchange(request, response, { address, budget, onRead });
        response.on('close', () => {
            if (!response.writableFinished) exchange.cancellation.cancel();
            exchange.body.discard();
            finish(exchange);
        });
        if (!mayAlways) overload.enter(exchange);
        return exchange;
    };
}

type Observe = (seen: { route: string; method: string; status: number }, began: number) => number;

/** Records an answer in the metrics. Returns the milliseconds since the request was read. */
function observer({ endpoints, metrics }: GatewayOptions): Observe {
    const duration = metrics.histogram({
        name: 'http_request_duration_seconds',
        help: 'Time from reading a request to passing its answer to the socket, by endpoint and status.',
        labels: ['route', 'method', 'status'],
    });
    // Node accepts 34 methods from anybody, and each would add time series.
    const methods = new Set<string>(['HEAD', 'OPTIONS', ...endpoints.map(({ method }) => method)]);
    return ({ route, method, status }, began) => {
        const seconds = secondsSince(began);
        duration.observe({ route, method: methods.has(method) ? method : 'other', status }, seconds);
        return Math.round(seconds * 1e6) / 1e3;
    };
}

/** Ends the exchange: records its metrics and writes its log line. */
function finisher({ overload, log }: GatewayOptions, observe: Observe): (exchange: Exchange) => void {
    return (exchange) => {
        const { request, response, route, began, request_id, principal, cancellation, span } = exchange;
        const { method = '' } = request;
        const is_aborted = cancellation.isCancelled;
        const failure = exchange.failure ?? (is_aborted ? overError(exchange) : undefined);
        const status = failure && !response.headersSent ? failure.http_status : response.statusCode;
        const duration_ms = observe({ route, method, status }, began);
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
            duration_ms,
            user_id: principal?.user_id,
            key_id: principal?.key_id,
            session_id: principal?.session_id,
            target: exchange.target,
            error: failure?.kind,
            aborted: is_aborted || undefined,
            ...auditOf(exchange),
        });
    };
}

function auditOf({ audit, address, on_behalf_of }: Exchange) {
    return audit ? { audit, address, on_behalf_of } : {};
}
