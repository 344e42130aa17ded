import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

/** No answer of the service may have the address 127.0.0.1, because it would be one of its own. */
const HOST = '127.0.0.2';

/** A request that a receiver has got. */
export interface Received {
    path: string;
    headers: Record<string, string>;
    body: string;
}

/** What a receiver answers: a status with header fields, or nothing at all. */
type Reply = { status: number; headers?: Record<string, string> } | 'hang';

interface Receiver {
    url: string;
    received: readonly Received[];
    /** Decides about the requests from now on. */
    reply(decide: (request: Received) => Reply): void;
    /** Waits until so many requests have come, and returns them. */
    first(count: number): Promise<readonly Received[]>;
    [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a receiver of webhooks on loopback, which answers 204 unless a test says otherwise. */
export async function startReceiver(certified: { cert: string; key: string }, { port = 0 } = {}): Promise<Receiver> {
    const received: Received[] = [];
    let decide: (request: Received) => Reply = () => ({ status: 204 });
    const server = createServer(certified, async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const headers = request.headers as Record<string, string>;
        const one = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() };
        const reply = decide(one);
        received.push(one);
        if (reply !== 'hang') response.writeHead(reply.status, reply.headers).end();
    });
    server.listen(port, HOST);
    await once(server, 'listening');
    return {
        url: `https://${HOST}:${(server.address() as AddressInfo).port}/hooks`,
        received,
        reply(next) {
            decide = next;
        },
        async first(count) {
            await until(`a receiver has ${count} requests`, () => received.length >= count);
            return received.slice(0, count);
        },
        async [Symbol.asyncDispose]() {
            server.closeAllConnections();
            server.close();
            await once(server, 'close');
        },
    };
}
