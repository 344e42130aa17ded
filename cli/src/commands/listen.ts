import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { command } from '../command.ts';
import { CliError, EXIT } from '../errors.ts';
import { readText } from '../input.ts';
import { readKeyFile, readSecret } from '../secret.ts';
import { jsonLine, printable } from '../terminal/text.ts';
import { type Delivered, faultOf, secretBytes } from '../webhook-signature.ts';
import type { World } from '../world.ts';
import { wholeNumber } from './keys.ts';

/** Largest body that is read, in bytes; the service sends less. Beyond it: 413. */
const MAX_BODY_BYTES = 64 << 10;

const SECRET = { what: 'secret of the webhook', variable: 'CRED_WEBHOOK_SECRET' } as const;

export const webhooksListen = command({
    name: 'webhooks listen',
    summary: 'Receive deliveries on this machine, verify and show them',
    details:
        'Listens on 127.0.0.1 until Ctrl-C. Reads the secret of the webhook at the prompt, from standard input or from CRED_WEBHOOK_SECRET. The service sends to https only: give a certificate that it trusts and its key, or put a tunnel with https in front. A service on this machine needs WEBHOOK_NETWORKS=127.0.0.0/8.',
    options: {
        port: { value: 'PORT', summary: 'Port to listen on; default: 8443' },
        cert: { value: 'FILE', summary: 'Certificate of the receiver, in PEM', file: true },
        'key-file': { value: 'FILE', summary: 'Private key of the certificate, in PEM', file: true },
    },
    examples: [{ line: 'cred webhooks listen --cert receiver.pem --key-file receiver-key.pem' }],
    async run({ options: { port, cert, 'key-file': key }, world, json }) {
        if ((cert === undefined) !== (key === undefined))
            throw new CliError('Give both --cert and --key-file, or none.');
        const number = port === undefined ? 8443 : wholeNumber(port, '--port');
        if (number > 65_535) throw new CliError('--port must be at most 65535.');
        const secret = secretBytes(await readSecret(world, SECRET));
        if (!secret) throw new CliError('The secret of a webhook begins with "whsec_".');
        const show = shower(world, json);
        const listener: RequestListener = async (request, response) => {
            const body = await bodyOf(request).catch(() => undefined);
            const fault = body === undefined ? 'it is too long' : shown(request, body, { secret, show });
            response.writeHead(body === undefined ? 413 : fault === undefined ? 204 : 400).end();
        };
        const files = cert !== undefined &&
            key !== undefined && { cert: readText(cert), key: readKeyFile('--key-file', key) };
        const server = files ? createSecureServer(files, listener) : createServer(listener);
        server.listen(number, '127.0.0.1');
        await once(server, 'listening').catch(({ message }: Error) => {
            throw new CliError(`This port cannot be used: ${message}`, EXIT.service);
        });
        const scheme = files ? 'https' : 'http';
        world.stderr.write(`Listening on ${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
        await once(server, 'close'); // Ctrl-C ends the process
        return {};
    },
});

type Show = (delivery: Record<string, unknown>) => void;

function shower({ stdout }: World, json: boolean): Show {
    return (delivery) => {
        const { verdict, time, id, body } = delivery;
        stdout.write(json ? jsonLine(delivery) : `${printable(`${time} ${verdict} ${id} ${body}`)}\n`);
    };
}

/** Shows a delivery. Returns what is wrong with it. */
function shown({ headers }: IncomingMessage, body: string, to: { secret: Buffer; show: Show }): string | undefined {
    const delivered: Delivered = {
        id: String(headers['webhook-id'] ?? ''),
        timestamp: String(headers['webhook-timestamp'] ?? ''),
        signatures: String(headers['webhook-signature'] ?? ''),
        body,
    };
    const fault = faultOf(delivered, to.secret, Date.now() / 1_000);
    const verdict = fault === undefined ? 'valid' : `refused, because ${fault}:`;
    to.show({ time: new Date().toISOString(), verdict, valid: fault === undefined, id: delivered.id, body });
    return fault;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) throw new CliError('The body is too long.');
        chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
}
