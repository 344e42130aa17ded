import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { authority } from '../../support/certificates.ts';

/** What the tests trust instead of the authorities of Node. */
export const ROOT = authority('root of these tests');

export interface Receiver {
    port: number;
    /** The connections so far, and the address of this machine at which each arrived. */
    connections: Socket[];
    reachedAt: string[];
    /** Method, path and header fields of the requests so far. */
    requests: IncomingMessage[];
    close(): Promise<void>;
}

/** Starts a receiver of webhooks on all addresses of this machine. Its certificate is for `names` and 127.0.0.1. */
export async function startReceiver(
    names: readonly string[],
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    certified = ROOT.certify('receiver', names),
): Promise<Receiver> {
    const connections: Socket[] = [];
    const reachedAt: string[] = [];
    const requests: IncomingMessage[] = [];
    const server = createServer(certified, (request, response) => {
        requests.push(request);
        answer(request, response);
    });
    server.on('connection', (socket: Socket) => {
        connections.push(socket);
        reachedAt.push(socket.localAddress?.replace('::ffff:', '') ?? '');
    });
    server.listen(0, '::');
    await once(server, 'listening');
    return {
        port: (server.address() as AddressInfo).port,
        connections,
        reachedAt,
        requests,
        async close() {
            for (const socket of connections) socket.destroy();
            server.close();
            await once(server, 'close');
        },
    };
}
