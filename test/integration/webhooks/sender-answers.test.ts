import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Delivery, type Sender, webhookSender } from '../../../services/webhooks/sender/sender.ts';
import { authority } from '../../support/certificates.ts';
import { socketClosed } from '../../support/sockets.ts';
import { until } from '../../support/until.ts';
import { type Receiver, ROOT, startReceiver } from './receiver.ts';

const ALLOWED = { allowedNetworks: ['127.0.0.1/32'], ca: ROOT.cert };
const delivery = (port: number, more: Partial<Delivery> = {}): Delivery => ({
    url: `https://127.0.0.1:${port}/hooks?a=1`,
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
    body: '{"type":"test","text":"é"}',
    ...more,
});
const ends: Array<() => unknown> = [];
after(async () => {
    for (const end of ends.reverse()) await end();
});

function sender(timeoutMs = 30_000): Sender {
    const made = webhookSender({ ...ALLOWED, timeoutMs });
    ends.push(() => made.close());
    return made;
}

async function receiver(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Receiver> {
    const started = await startReceiver([], answer);
    ends.push(() => started.close());
    return started;
}

/** A port at which `connected` speaks, without TLS. */
async function plainPort(connected: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
        socket.on('error', () => {});
        ends.push(() => socket.destroy());
        connected(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => server.close());
    return (server.address() as AddressInfo).port;
}

const answered = (status: number, retryAfterMs?: number) => ({ kind: 'answered', status, retryAfterMs });
const LATE = { kind: 'failed', reason: 'No answer came within 0.3 s.' };

describe('a delivery', () => {
    it('is a POST with the given header fields and body', async () => {
        const body = Promise.withResolvers<string>();
        const { port, requests } = await receiver(async (request, response) => {
            body.resolve(await text(request));
            response.writeHead(429, { 'Retry-After': '7' }).end('too much');
        });
        assert.deepEqual(await sender().send(delivery(port)), answered(429, 7_000));
        assert.equal(await body.promise, delivery(port).body);
        const [{ method, url, headers } = assert.fail()] = requests;
        assert.deepEqual(
            { method, url, headers },
            {
                method: 'POST',
                url: '/hooks?a=1',
                headers: {
                    'content-type': 'application/json',
                    'webhook-id': 'msg_1',
                    host: `127.0.0.1:${port}`,
                    connection: 'keep-alive',
                    'content-length': '27',
                },
            },
        );
    });

    it('shares a connection with earlier ones, and takes another if the receiver has closed it', async () => {
        const { port, connections, requests } = await receiver((request, response) => {
            if (requests.length === 3) request.socket.destroy();
            else response.end('received');
        });
        const one = sender();
        for (let sent = 0; sent < 3; sent++) assert.deepEqual(await one.send(delivery(port)), answered(200));
        assert.deepEqual(
            { connections: connections.length, requests: requests.length },
            { connections: 2, requests: 4 },
        );
    });

    it('is not sent again if a new connection breaks', async () => {
        const { port, requests } = await receiver(({ socket }) => socket.destroy());
        const reason = 'The host gave no valid HTTP answer (ECONNRESET).';
        assert.deepEqual(await sender().send(delivery(port)), { kind: 'failed', reason });
        assert.equal(requests.length, 1);
    });

    it('ends when its time is over: before TLS, during TLS, before the answer, in its header', async () => {
        const silent = await plainPort(() => {});
        const dripping = await plainPort((socket) => socket.write(Buffer.from([0x16, 3, 3, 0x40, 0, 2, 0])));
        const waiting = await receiver(() => {});
        const inHeader = await receiver(({ socket }) => socket.write('HTTP/1.1 200 OK\r\nX-Slow: '));
        const brief = sender(300);
        for (const port of [silent, dripping, waiting.port, inHeader.port])
            assert.deepEqual(await brief.send(delivery(port)), LATE);
        for (const { connections } of [waiting, inHeader])
            await until('the connection is closed', () => connections.every(({ destroyed }) => destroyed));
    });

    it('ends when its time is over, however many answers come before the last one', async () => {
        let written = 0;
        const hinting = await receiver(({ socket }) => {
            const hint = () => {
                while (socket.writable && socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')) written++;
            };
            socket.on('drain', hint);
            hint();
        });
        assert.deepEqual(await sender(300).send(delivery(hinting.port)), LATE);
        await until('the connection is closed', () => hinting.connections.every(({ destroyed }) => destroyed));
        assert.ok(written > 1);
    });

    it('is answered from the header on: a slow, an endless and a broken body end on our side', async () => {
        const slow = await receiver((_, response) => response.writeHead(202).write('a'));
        const broken = await receiver((_, response) => {
            response.writeHead(203, { 'Content-Length': '9' }).write('a', () => response.destroy());
        });
        const sent = sender(600_000).send(delivery(slow.port));
        await until('the slow one is closed', () => slow.connections[0]?.destroyed === true);
        assert.deepEqual(await sent, answered(202));
        assert.deepEqual(await sender().send(delivery(broken.port)), answered(203));
        let written = 0;
        const endless = await receiver((_, response) => {
            const fill = () => {
                do written += 65_536;
                while (response.write('a'.repeat(65_536)));
            };
            response.writeHead(201).on('drain', fill);
            fill();
        });
        assert.deepEqual(await sender().send(delivery(endless.port)), answered(201));
        await socketClosed(endless.connections[0] ?? assert.fail());
        assert.ok(written < 32 << 20, `${written} bytes`);
    });

    it('fails if the header of the answer is too large, or the answer is not HTTP', async () => {
        const large = await receiver((_, response) => response.writeHead(200, { 'X-Large': 'a'.repeat(9_000) }).end());
        const other = await receiver(({ socket }) => socket.write('220 mail.example ESMTP\r\n'));
        const upgrade = await receiver(({ socket }) =>
            socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tls\r\n\r\n'),
        );
        const outcomes: unknown[] = [];
        for (const { port } of [large, other, upgrade]) outcomes.push(await sender().send(delivery(port)));
        assert.deepEqual(
            outcomes,
            [' (HPE_HEADER_OVERFLOW)', ' (HPE_INVALID_CONSTANT)', ''].map((code) => ({
                kind: 'failed',
                reason: `The host gave no valid HTTP answer${code}.`,
            })),
        );
    });

    it('fails at a certificate of an unknown authority, or without TLS, and says nothing to the host', async () => {
        const strange = await startReceiver([], () => {}, authority('another root').certify('receiver'));
        ends.push(strange.close);
        const failed = (code: string) => ({
            kind: 'failed',
            reason: `The TLS handshake with the host failed (${code}).`,
        });
        assert.deepEqual(await sender().send(delivery(strange.port)), failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
        assert.equal(strange.requests.length, 0);
        const plain = await plainPort((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
        assert.deepEqual(await sender().send(delivery(plain)), failed('EPROTO'));
    });

    it('is broken off by its caller, and when the sender is closed', async () => {
        const { port, requests, connections } = await receiver(() => {});
        const one = sender();
        const caller = new AbortController();
        const first = one.send(delivery(port), caller.signal);
        await until('the request is there', () => requests.length === 1);
        caller.abort();
        assert.deepEqual(await first, { kind: 'failed', reason: 'The delivery was broken off.' });
        assert.deepEqual(await one.send(delivery(port), caller.signal), await first);
        const second = one.send(delivery(port));
        await until('the request is there', () => requests.length === 2);
        await one.close();
        assert.deepEqual(await second, { kind: 'failed', reason: 'The sender was closed.' });
        await until('the connections are closed', () => connections.every(({ destroyed }) => destroyed));
        assert.equal(requests.length, 2);
    });

    it('uses no proxy, and trusts the authorities of NODE_EXTRA_CA_CERTS', async () => {
        let proxied = 0;
        const proxy = await plainPort((socket) => {
            proxied++;
            socket.destroy();
        });
        const { port } = await receiver((_, response) => response.end());
        const folder = mkdtempSync(join(tmpdir(), 'sender-'));
        ends.push(() => rmSync(folder, { recursive: true }));
        const extra = join(folder, 'root.pem');
        writeFileSync(extra, ROOT.cert);
        const program = `
            import { webhookSender } from ${JSON.stringify(import.meta.resolve('../../../services/webhooks/sender/sender.ts'))};
            const sender = webhookSender({ allowedNetworks: ['127.0.0.1/32'] });
            console.log(JSON.stringify(await sender.send(${JSON.stringify(delivery(port))})));
            await sender.close();`;
        const url = `http://127.0.0.1:${proxy}`;
        const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
            env: { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: url, https_proxy: url, NODE_EXTRA_CA_CERTS: extra },
        });
        assert.deepEqual({ ...JSON.parse(stdout), proxied }, { kind: 'answered', status: 200, proxied: 0 });
    });
});
