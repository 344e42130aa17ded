import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { authority } from '../../test/support/certificates.ts';

/** What stands in front of the gateway in production: it ends TLS. Wallets call only https. Rejects if the port is in use. */
export async function startFront(at = 0) {
    const { cert: ca, certify } = authority('wallet proof');
    let gateway = '';
    const server = createServer(certify('front', ['localhost']), (incoming, answer) => {
        const { method, headers, url = '/' } = incoming;
        const outgoing = request(new URL(url, gateway), { method, headers }, (answered) => {
            answer.writeHead(answered.statusCode ?? 502, answered.headers);
            answered.pipe(answer);
        });
        outgoing.on('error', () => answer.destroy());
        incoming.pipe(outgoing);
    });
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return {
        url: `https://localhost:${port}`,
        /** Its certificate authority, in PEM. */
        ca,
        leadTo(url: string): void {
            gateway = url;
        },
        close(): void {
            server.close();
            server.closeAllConnections();
        },
    };
}
