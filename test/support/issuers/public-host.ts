import { once } from 'node:events';
import { request } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { authority } from '../certificates.ts';

/** Connects to a port of this machine instead of the host of a URL. The server must prove the name of that host. */
class LoopbackAgent extends https.Agent {
    readonly #port: number;

    constructor({ port, ca }: { port: number; ca: string }) {
        super({ ca });
        this.#port = port;
    }

    override createConnection(
        options: https.RequestOptions,
        callback?: (error: Error | null, stream: Duplex) => void,
    ): Duplex | null | undefined {
        return super.createConnection({ ...options, host: '127.0.0.1', port: this.#port }, callback);
    }
}

/** Starts an HTTPS server that has the certificate of a host, and passes its requests on to `target`. */
export async function startPublicHost({ host, target }: { host: string; target: string }) {
    const root = authority('root of this test');
    const server = https.createServer(root.certify(host, [host]), (incoming, answer) => {
        const passedOn = request(`${target}${incoming.url}`, { headers: incoming.headers }, (received) => {
            answer.writeHead(received.statusCode ?? 502, received.headers);
            received.pipe(answer);
        });
        passedOn.on('error', () => answer.destroy());
        passedOn.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const agent = new LoopbackAgent({ port, ca: root.cert });
    return {
        agent,
        close(): void {
            agent.destroy();
            server.close();
            server.closeAllConnections();
        },
    };
}
