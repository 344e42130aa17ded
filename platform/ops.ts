import { createServer } from 'node:http';
import type { Metrics } from './metrics.ts';

export interface OpsServer {
    /** http://host:port */
    url: string;
    stop(): Promise<void>;
}

/**
 * The port beside the public one: `/livez` (the event loop turns), `/readyz` (whether requests should be sent here) and
 * `/metrics`.
 */
export async function serveOps(options: {
    host: string;
    port: number;
    metrics: Metrics;
    /** What keeps requests from being sent here; nothing: they may be. */
    obstacles(): Promise<string[]>;
}): Promise<OpsServer> {
    const server = createServer(async (request, response) => {
        const reply = (status: number, text: string, type = 'text/plain; charset=utf-8') =>
            response.writeHead(status, { 'content-type': type }).end(text);
        if (request.url === '/livez') return reply(200, 'ok\n');
        if (request.url === '/readyz') {
            const obstacles = await options.obstacles();
            if (obstacles.length === 0) return reply(200, 'ready\n');
            return reply(503, `${['not ready', ...obstacles].join('\n')}\n`);
        }
        if (request.url === '/metrics') {
            const { text, content_type } = await options.metrics.expose();
            return reply(200, text, content_type);
        }
        return reply(404, 'not found\n');
    });
    await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, options.host, resolve);
    });
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
