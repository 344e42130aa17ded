import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, it } from 'node:test';
import { vitalsOf } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { closed, dial, post, repeat, request } from './wire.ts';

/** Connections for each pair of SENT and DONE. DONE has six entries, so each entry of SENT gets about 10,000. */
const CONNECTIONS = IS_WHOLE ? 1_700 : 20;
const AT_ONCE = 50;
/** A client waits at most this long (ms) for the gateway to close a connection. */
const TIMEOUT_MS = 50;

const target = await startTarget();
after(() => target.stop());
const before = await vitalsOf(target);

const KEY = `Authorization: Bearer ${target.caller.api_key}`;
/** The first bytes of a TLS ClientHello. */
const TLS_HELLO = Buffer.from(`16030100${'c8010000c40303'.padEnd(200, '0')}`, 'hex');

/** What a client sends first. */
const SENT: Record<string, string | Buffer> = {
    nothing: '',
    'half a request line': 'GET /internal/hea',
    'half a header': 'GET /internal/health HTTP/1.1\r\nHost: te',
    'a request': request('GET /internal/health'),
    'an authenticated request': request('POST /v1/did', [KEY]),
    'half a body': request('POST /v1/did', [KEY, 'Content-Type: application/json', 'Content-Length: 100'], '{"a":'),
    'half a chunk': request('POST /v1/did', [KEY, 'Transfer-Encoding: chunked'], '100\r\nabc'),
    'a broken chunk': request('POST /v1/did', [KEY, 'Transfer-Encoding: chunked'], 'zz\r\nabc'),
    'a body that is refused unread': post('/v1/did', [], '{}'),
    CONNECT: 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n',
    'CONNECT after a request': `${request('POST /v1/did', [KEY])}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\nmore`,
    'an upgrade': request('GET /v1/me', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']),
    'an upgrade to HTTP/2': request('GET /', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c']),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'Expect: 100-continue': request('POST /v1/did', [KEY, 'Expect: 100-continue', 'Content-Length: 2']),
    'an unknown Expect': request('POST /v1/did', [KEY, 'Expect: tea', 'Content-Length: 2']),
    'a TLS hello': TLS_HELLO,
    'bytes that are not HTTP': '\0\x01\x02\xff\r\n\r\n',
    'a large header': request('GET /', [`A: ${'a'.repeat(20_000)}`]),
    'pipelined requests': request('POST /v1/did', [KEY]).repeat(20),
    'requests for a page that they do not read': request('GET /docs').repeat(20),
};

/** What the client does with its connection afterwards. */
const DONE: Record<string, (socket: Socket) => Promise<unknown> | unknown> = {
    'resets it': (socket) => socket.resetAndDestroy(),
    'ends its side': (socket) => {
        socket.end();
        return closed(socket, TIMEOUT_MS);
    },
    'ends its side and resets it': (socket) => {
        socket.end();
        setImmediate(() => socket.resetAndDestroy());
    },
    'closes it': (socket) => socket.destroy(),
    'sends garbage': (socket) => {
        socket.write('\r\n\0garbage\r\n\r\n');
        return closed(socket, TIMEOUT_MS);
    },
    'waits for the answer and resets it': async (socket) => {
        await closed(socket, TIMEOUT_MS);
        socket.resetAndDestroy();
    },
};

for (const [sent, bytes] of Object.entries(SENT)) {
    it(`the gateway survives clients that send ${sent}, however they end their connections`, async () => {
        for (const act of Object.values(DONE)) {
            await repeat(CONNECTIONS, AT_ONCE, async () => {
                const socket = await dial(target);
                if (bytes.length > 0) socket.write(bytes);
                await act(socket);
                socket.destroy();
            });
        }
        const now = await vitalsOf(target);
        assert.equal(now.started, before.started, 'the process was restarted');
        assert.equal(now.uncaught, 0, 'the process had an uncaught exception');
        const answer = await fetch(`${target.url}/internal/health`);
        assert.equal(answer.status, 200);
        await answer.arrayBuffer();
    });
}
