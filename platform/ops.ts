import { createServer } from 'node:http';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

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
    /** What keeps requests from being sent here; nothing: they may be. */
    obstacles(): Promise<string[]>;
}

/** Bounds what scrapers and probes hold: their requests have no body and are answered at once. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 60_000, maxHeaderSize: 8 << 10 };
const MAX_CONNECTIONS = 256;

/**
 * The port beside the public one: `/livez` (the event loop turns), `/readyz` (whether requests should be sent here) and
 * `/metrics`.
 */
export async function serveOps(options: OpsOptions): Promise<OpsServer> {
    const server = createServer(LIMITS, ({ url }, response) => {
        const reply = ({ status, text, content_type = 'text/plain; charset=utf-8' }: Reply) =>
            response.writeHead(status, { 'content-type': content_type }).end(text);
        answer(url, options).then(reply, (err) => {
            options.log.error({ err }, 'operations port');
            reply({ status: 500, text: 'failed: see the log\n' });
        });
    });
    await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, options.host, resolve);
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('error', (err) => options.log.error({ err }, 'operations port'));
    const bound = server.address();
    const port = typeof bound === 'object' && bound ? bound.port : options.port;
    return {
        url: `http://${options.host}:${port}`,
        stop: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

interface Reply {
    status: number;
    text: string;
    content_type?: string;
}

async function answer(url: string | undefined, { metrics, obstacles: ask }: OpsOptions): Promise<Reply> {
    if (url === '/livez') return { status: 200, text: 'ok\n' };
    if (url === '/readyz') {
        const obstacles = await ask();
        if (obstacles.length === 0) return { status: 200, text: 'ready\n' };
        return { status: 503, text: `${['not ready', ...obstacles].join('\n')}\n` };
    }
    if (url === '/metrics') return { status: 200, ...(await metrics.expose()) };
    return { status: 404, text: 'not found\n' };
}
