import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type Metrics, secondsSince } from '../platform/metrics.ts';
import { clientAddress } from './address.ts';
import type { Cors } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Engine } from './engine.ts';
import { writeToSocket } from './envelope.ts';
import { beginExchange, checkHeaders, type Exchange, exchangeOf } from './exchange.ts';

export interface GatewayOptions {
    engine: Engine;
    endpoints: readonly Endpoint[];
    cors: Cors;
    trusted_proxies: number;
    log: Log;
    metrics: Metrics;
}

/** The public HTTP server, not yet listening: routes from the endpoint table, and the envelope for everything else. */
export function gatewayServer(options: GatewayOptions): Server {
    const app = application(options);
    const server = createServer(
        {
            // Judged by checkHeaders: Node's own answer has no envelope.
            requireHostHeader: false,
            maxHeaderSize: 16 << 10,
            headersTimeout: 10_000,
            requestTimeout: 15_000,
            keepAliveTimeout: 30_000,
            connectionsCheckingInterval: 1_000,
        },
        app,
    );
    server.maxHeadersCount = 0; // judged by checkHeaders: Node drops the rest in silence
    server.on('checkExpectation', app);
    server.on('clientError', answerClientError);
    return server;
}

function application({ engine, endpoints, cors, trusted_proxies, log, metrics }: GatewayOptions) {
    const app = express();
    app.set('case sensitive routing', true);
    app.set('strict routing', true);
    app.set('query parser', false);
    app.set('etag', false);
    app.set('x-powered-by', false);

    const finish = finisher({ log, metrics });
    app.use((request: Request, response: Response, next: NextFunction) => {
        const exchange = beginExchange(request, response, clientAddress(request, trusted_proxies));
        response.on('close', () => finish(exchange));
        checkHeaders(request);
        if (!cors.answer(exchange)) next();
    });
    for (const endpoint of endpoints) {
        const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'; // the methods there are
        app[method](expressPath(endpoint.path), engine.handle(endpoint));
    }
    for (const [path, methods] of methodsByPath(endpoints)) {
        app.all(path, (_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.headers['Allow'] = methods;
            return engine.fail(exchange, new AppError('method_not_allowed', `This path accepts ${methods}.`));
        });
    }
    app.use((_request: Request, response: Response) =>
        engine.fail(exchangeOf(response), new AppError('not_found', 'There is no such path.')),
    );
    app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
        engine.fail(exchangeOf(response), isBadPath(error) ? badPath() : error),
    );
    return app;
}

/** `/v1/keys/{key_id}` as express writes it. */
function expressPath(path: string): string {
    return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function methodsByPath(endpoints: readonly Endpoint[]): Map<string, string> {
    const grouped = Map.groupBy(endpoints, (endpoint) => expressPath(endpoint.path));
    return new Map(
        [...grouped].map(([path, group]) => {
            const methods = group.map((endpoint) => endpoint.method as string);
            if (methods.includes('GET')) methods.push('HEAD');
            return [path, methods.sort().join(', ')];
        }),
    );
}

/** Express could not decode a parameter of the path. */
function isBadPath(error: unknown): boolean {
    return Error.isError(error) && 'status' in error && error.status === 400;
}

function badPath(): AppError {
    return new AppError('invalid', 'The path is not properly percent-encoded.');
}

/** Meters the exchange and writes its one log line. */
function finisher({ log, metrics }: { log: Log; metrics: Metrics }): (exchange: Exchange) => void {
    const duration = metrics.histogram({
        name: 'http_request_duration_seconds',
        help: 'Time from a request being read to its answer being handed over, by endpoint and status.',
        labels: ['route', 'method', 'status'],
    });
    return ({ request, response, route, began, request_id, principal, failure }) => {
        const seconds = secondsSince(began);
        const method = request.method ?? '';
        duration.observe({ route, method, status: response.statusCode }, seconds);
        log.info({
            request_id,
            method,
            route,
            status: response.statusCode,
            duration_ms: Math.round(seconds * 1e6) / 1e3,
            user_id: principal?.user_id,
            key_id: principal?.key_id,
            error: failure?.kind,
            aborted: response.writableFinished ? undefined : true,
        });
    };
}

/** What the HTTP parser refuses never becomes a request: the answer is written to the socket. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const in_progress = '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null;
    if (error.code === 'ECONNRESET' || !socket.writable || in_progress?.headersSent) {
        socket.destroy();
        return;
    }
    writeToSocket(socket, clientError(error.code));
}

function clientError(code: string | undefined): AppError {
    if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large', 'The header is larger than 16 KiB.');
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
        return new AppError('request_timeout', 'The request did not arrive in time.');
    return new AppError('invalid', 'The request is not well-formed HTTP.');
}
