import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export interface Received {
    method: string | undefined;
    url: string | undefined;
    headers: IncomingHttpHeaders;
    body: string;
}
export type Reply = (response: ServerResponse) => void;

export const LIMIT = { 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '7', 'X-RateLimit-Reset': '1795208902' };

/** A success of the service. */
export const success =
    (data: unknown, headers: Record<string, string> = {}): Reply =>
    (response) =>
        response
            .writeHead(200, { ...LIMIT, ...headers })
            .end(JSON.stringify({ status: 'success', message: 'Done', data }));

/** A refusal of the service. */
export const refusal =
    (status: number, headers: Record<string, string> = {}): Reply =>
    (response) =>
        response
            .writeHead(status, { ...LIMIT, ...headers })
            .end(JSON.stringify({ status: 'error', message: 'Refused', error: 'Not this.' }));

/** Closes the connection without an answer after the whole request was read. */
export const breakOff: Reply = (response) => response.destroy();

/** Never answers. */
export const silence: Reply = () => {};

/**
 * Starts a real HTTP server on `port`, by default a free one. It gives the replies of the script in turn, and repeats
 * the last one.
 */
export async function scriptedServer(t: TestContext, script: readonly Reply[], port = 0) {
    const received: Received[] = [];
    const server = createServer(async (request, response) => {
        const { method, url, headers } = request;
        const reply = script[Math.min(received.length, script.length - 1)];
        received.push({ method, url, headers, body: await text(request) });
        server.emit('received');
        reply?.(response);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
        server.close();
        server.closeAllConnections();
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    return { base_url: baseUrl, received, arrival: () => once(server, 'received') };
}
