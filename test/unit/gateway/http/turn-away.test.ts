import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { endpointTable } from '../../../../gateway/endpoints/index.ts';
import { bodyBudget } from '../../../../gateway/http/body-budget.ts';
import { clientErrors } from '../../../../gateway/http/client-errors.ts';
import { cors } from '../../../../gateway/http/cors.ts';
import { turnAway } from '../../../../gateway/http/turn-away.ts';
import type { Log } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const ORIGIN = 'https://app.example';
const REQUEST = `POST /v1/dids HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\nX-Request-Id: mine\r\nContent-Length: 7\r\n\r\n{"a":1}`;
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

const endpoints = endpointTable({ version: '', cache: async () => {}, clock: Date.now });

/** Starts a server that turns every request away, and records its log lines. */
async function setUp() {
    const lines: Array<Record<string, unknown>> = [];
    const log = { info: (line: Record<string, unknown>) => void lines.push(line) } as Log; // no other level is used
    const decision = () => ({ state: 'admitted', limit: 9, remaining: 8, window: 5, reset: 7, wait: 6 }) as const;
    const turn = turnAway({ decision, cors: cors([ORIGIN], endpoints), observe: () => 0.5, log });
    const budget = bodyBudget(createMetrics());
    const errors = clientErrors({ fail: () => assert.fail('the request was answered before'), decision, log });
    const server = createServer((request, response) => {
        errors.began(response);
        turn(request, response, { address: '127.0.0.1', budget });
    }).listen(0);
    server.on('clientError', errors.answer);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port); // it listens on a port
    return { socket, lines, stop: () => server.close().closeAllConnections() };
}

/** Sends a text and returns the next answer. Each answer arrives in one piece. */
async function answerTo(socket: Socket, text: string): Promise<string> {
    socket.write(text);
    return String((await once(socket, 'data'))[0]);
}

it('a request that is turned away is answered like any other refusal, and logged', async (t) => {
    const { socket, lines, stop } = await setUp();
    t.after(stop);
    const answer = await answerTo(socket, REQUEST);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 503 /);
    for (const field of [
        'X-Request-Id: mine',
        `Access-Control-Allow-Origin: ${ORIGIN}`,
        'Retry-After: 1',
        'X-Error-Code: unavailable',
        'X-RateLimit-Limit: 9',
        'RateLimit-Policy: "default";q=9;w=5',
        'Content-Type: application/json; charset=utf-8',
        'Cache-Control: no-store',
        'X-Content-Type-Options: nosniff',
        `Content-Length: ${body.length}`,
    ]) {
        assert.ok(head.split('\r\n').includes(field), field);
    }
    const { status, error, message } = JSON.parse(body) as Record<string, string>;
    assert.equal(status, 'error');
    assert.ok(error && message);
    const expected = { request_id: 'mine', method: 'POST', route: 'unmatched', status: 503, error: 'unavailable' };
    assert.partialDeepStrictEqual(lines, [{ ...expected, duration_ms: 0.5 }]);
    assert.match(await answerTo(socket, REQUEST), /^HTTP\/1\.1 503 /, 'the connection stays open');
    assert.equal(lines.length, 2);
});

it('a script of any web page reads that a request of a wallet is turned away, in the form that wallets read', async (t) => {
    const { socket, stop } = await setUp();
    t.after(stop);
    const issuer = '/issuers/01a1fac9-0f21-7000-9d3e-8b7c6a5f4e3d';
    const error = 'temporarily_unavailable';
    const refused = { error, error_description: 'The service is at capacity. Try again shortly.' };
    const large = `Content-Length: ${1 << 20}\r\n`;
    for (const [target, fields, isRefused] of [
        [`POST ${issuer}/token`, '', true],
        [`POST ${issuer}/nonce?x=/`, '', true],
        [`GET ${issuer}/offers/%zz`, '', true],
        [`GET /.well-known/openid-credential-issuer${issuer}`, '', false],
        [`POST ${issuer}/credential`, large, true],
    ] as const) {
        const answer = await answerTo(socket, `${target} HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\n${fields}\r\n`);
        const [head = '', body = ''] = answer.split('\r\n\r\n');
        assert.match(head, /^HTTP\/1\.1 503 .*\r\nAccess-Control-Allow-Origin: \*\r\n/s, target);
        assert.doesNotMatch(head, /\r\nVary:/);
        if (isRefused) assert.deepEqual(JSON.parse(body), refused, target);
        else assert.equal(JSON.parse(body).status, 'error');
    }
});

it('a path that only begins like one of wallets is turned away like any other', async (t) => {
    const { socket, stop } = await setUp();
    t.after(stop);
    for (const path of ['/issuers/x/token/', '/issuers/x/y/token', '/x/issuers/x/token', '/issuers//token']) {
        const answer = await answerTo(socket, `POST ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
        assert.doesNotMatch(answer, /Access-Control/);
        assert.match(answer, /"status":"error"/);
    }
});

it('bytes that are no HTTP after such a request get no second answer', async (t) => {
    const { socket, stop } = await setUp();
    t.after(stop);
    assert.match(await answerTo(socket, CHUNKED), /^HTTP\/1\.1 503 /);
    let more = '';
    socket.on('data', (data) => {
        more += data;
    });
    socket.write('not a chunk\r\n');
    await once(socket, 'close');
    assert.doesNotMatch(more, /HTTP/);
});
