import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../process/held-ports.ts';
import { singleFlight } from '../single-flight.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type ConnectionBounds, watchConnections } from './http-connections.ts';

export interface OpsServer {
    /** http://host:port */
    url: string;
    stop(): Promise<void>;
}

interface OpsOptions {
    host: string;
    port: number;
    metrics: Metrics;
    log: Log;
    /** The reasons why requests should not be sent to this process; empty if it is ready. */
    failingChecks(): Promise<string[]>;
    /** What does not work at the moment although this process is ready. */
    remarks?(): readonly string[];
}

/**
 * Times in milliseconds, and the maximum size of a header in bytes. They are small because requests have no body and
 * are answered at once. Beyond it: 431 for a header, 408 for a time; the connection is closed.
 */
const LIMITS = {
    headersTimeout: 5_000,
    requestTimeout: 5_000,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 8 << 10,
    // Node's own refusals of a request without a Host header would not count as requests.
    requireHostHeader: false,
};
/** Maximum number of header fields of a request. Beyond it: Node drops the others. */
const MAX_HEADERS = 64;
/**
 * Maximum number of open connections. Beyond it: one is cut that has begun no request for longest, and has none in
 * progress or has not sent all of it.
 */
const MAX_CONNECTIONS = 256;
/** Further connections that are accepted while no connection is idle. Beyond it: the new connection is dropped. */
const RESERVE = 8;
/** Maximum number of requests in progress on one connection. Beyond it: the connection is cut. */
const MAX_REQUESTS_IN_PROGRESS = 8;
/** Maximum number of requests in progress that were pipelined behind another one. Beyond it: the connection is cut. */
const MAX_PIPELINED = 256;
/**
 * Maximum number of bytes of unsent answers: per connection, per client address, and in total. Beyond it: the
 * connections that have waited longest are cut.
 */
const MAX_UNSENT_BYTES = { connection: 4 << 20, address: 8 << 20, total: 16 << 20 };
/** Minimum time between renderings of the metrics, in milliseconds, because rendering blocks the event loop. */
const RENDER_EVERY_MS = 100;
/** Time limit for a rendering, in milliseconds. Beyond it: 500. */
const RENDER_MS = 5_000;

/**
 * Serves the operations port: `/livez` (the event loop runs), `/readyz` (whether requests should be sent to this
 * process) and `/metrics`.
 */
export async function serveOps(options: OpsOptions): Promise<OpsServer> {
    const answer = answers(options);
    const server = createServer(LIMITS);
    server.maxHeadersCount = MAX_HEADERS;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
        if (!connections.begin(response, request.socket.remoteAddress ?? '')) return;
        if (hasBody(request)) {
            request.socket.destroy(); // no client of this port sends a body, and Node would parse all of it
            return;
        }
        const reply = ({ status, text, contentType = 'text/plain; charset=utf-8' }: Reply) =>
            response.writeHead(status, { 'content-type': contentType }).end(text);
        answer(request.url).then(reply, (err) => {
            options.log.error({ err }, 'operations port: request failed');
            reply({ status: 500, text: 'failed: see the log\n' });
        });
    };
    server.on('request', listener);
    server.on('checkExpectation', listener);
    const cut = options.metrics.counter({
        name: 'operations_connections_cut_total',
        help: 'Connections of the operations port closed: too many requests in progress, too many unsent bytes, a stalled reader, or idle when room was needed.',
        labels: ['reason'],
    });
    const bounds: ConnectionBounds = {
        connections: MAX_CONNECTIONS,
        reserve: RESERVE,
        requests: MAX_REQUESTS_IN_PROGRESS,
        pipelined: MAX_PIPELINED,
        unsentBytes: MAX_UNSENT_BYTES,
    };
    const connections = watchConnections(server, bounds, (reason) => cut.inc({ reason }));
    const port = await listen(server, options);
    server.on('error', (err) => options.log.error({ err }, 'operations port: server error'));
    return {
        url: `http://${options.host}:${port}`,
        stop: () =>
            new Promise((resolve) => {
                connections.stop();
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

function hasBody({ headers }: IncomingMessage): boolean {
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

interface Reply {
    status: number;
    text: string | Buffer;
    contentType?: string;
}

function answers({
    metrics,
    failingChecks,
    remarks = () => [],
}: OpsOptions): (url: string | undefined) => Promise<Reply> {
    const render = renderer(metrics);
    return async (url) => {
        if (url === '/livez') return { status: 200, text: 'ok\n' };
        if (url === '/readyz') {
            const failing = await failingChecks();
            if (failing.length === 0) return { status: 200, text: `${['ready', ...remarks()].join('\n')}\n` };
            return { status: 503, text: `${['not ready', ...failing].join('\n')}\n` };
        }
        if (url === '/metrics') return render();
        return { status: 404, text: 'not found\n' };
    };
}

/** Returns a function that renders the metrics once for all concurrent requests, which share the bytes. */
function renderer(metrics: Metrics): () => Promise<Reply> {
    let notBefore = 0;
    return singleFlight(
        async () => {
            await delay(Math.max(0, notBefore - performance.now()));
            notBefore = performance.now() + RENDER_EVERY_MS;
            const { contentType, text } = await metrics.expose();
            return { status: 200, contentType, text: Buffer.from(text) };
        },
        'metrics',
        RENDER_MS,
    );
}
