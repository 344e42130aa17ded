import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { it, type TestContext } from 'node:test';
import { bodyBudget } from '../../../../gateway/http/body-budget.ts';
import { MAX_BODY_BYTES } from '../../../../gateway/http/body-length.ts';
import { IncomingBody } from '../../../../gateway/http/incoming-body.ts';
import { AppError } from '../../../../platform/errors.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';

const metrics = createMetrics();
const budget = bodyBudget(metrics);

/**
 * Sends `head` and `pieces` over a real connection. Returns the body that the server receives, and the client's socket.
 */
async function receive(t: TestContext, head: string, pieces: readonly string[]) {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    const socket = connect(typeof bound === 'object' && bound ? bound.port : 0, '127.0.0.1');
    t.after(() => {
        socket.destroy();
        server.close();
    });
    socket.on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    const [request] = (await once(server, 'request')) as [IncomingMessage];
    const body = new IncomingBody(request, { address: 'a', budget });
    for (const piece of pieces) socket.write(piece);
    return { body, socket, request };
}

const chunked = (text: string, size: number): string[] => {
    const chunks = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
    return [...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`), '0\r\n\r\n'];
};
const isKind = (kind: string) => (error: unknown) => error instanceof AppError && error.kind === kind;

for (const [size, length] of [
    [1, 4_096],
    [7, 28_000],
    [1_000, 300_000],
    [300_000, 300_000],
] as const) {
    it(`a body in pieces of ${size} bytes arrives unchanged, and takes at most twice its size in memory`, async (t) => {
        const text = Array.from({ length }, (_, index) => index % 10).join('');
        const { body } = await receive(t, 'Transfer-Encoding: chunked', [chunked(text, size).join('')]);
        const bytes = await body.read();
        assert.equal(bytes.toString(), text);
        assert.ok(bytes.buffer.byteLength <= 2 * text.length, `${bytes.buffer.byteLength}`);
    });
}

it('a body in too many small chunks is refused', async (t) => {
    const { body } = await receive(t, 'Transfer-Encoding: chunked', [chunked('x'.repeat(4_097), 1).join('')]);
    await assert.rejects(body.read(), isKind('invalid'));
});

it('a dropped body is read up to the bound of small chunks, and then its connection is closed', async (t) => {
    const { body, socket, request } = await receive(t, 'Transfer-Encoding: chunked', []);
    const dropped = body.drop();
    socket.write(chunked('x'.repeat(60_000), 1).join(''));
    await dropped;
    assert.ok(request.readableLength < 16_384, `${request.readableLength} chunks wait`); // at most those of one read
    while (!socket.closed) await new Promise((resolve) => setTimeout(resolve, 1));
});

it('a body with a Content-Length takes no more memory than that', async (t) => {
    const text = 'x'.repeat(100_000);
    const { body } = await receive(t, `Content-Length: ${text.length}`, [text.slice(0, 60_000), text.slice(60_000)]);
    const bytes = await body.read();
    assert.equal(bytes.length, text.length);
    assert.ok(bytes.buffer.byteLength <= text.length);
    assert.ok(body.hasArrived());
});

it('a request without a body has an empty body', async (t) => {
    for (const head of ['A: b', 'Content-Length: 0']) {
        const { body } = await receive(t, head, []);
        assert.ok(body.hasArrived());
        assert.equal((await body.read()).length, 0);
        await body.drop();
    }
});

it('a body of 1 MiB is read, and one byte more is too large', async (t) => {
    for (const [length, outcome] of [
        [MAX_BODY_BYTES, MAX_BODY_BYTES],
        [MAX_BODY_BYTES + 1, 'too_large'],
    ] as const) {
        const text = 'x'.repeat(length);
        for (const [head, pieces] of [
            [`Content-Length: ${length}`, [text]],
            ['Transfer-Encoding: chunked', chunked(text, 50_000)],
        ] as const) {
            const { body } = await receive(t, head, pieces);
            if (outcome === 'too_large') {
                await assert.rejects(body.read(), isKind('too_large'));
                await body.drop();
            } else {
                assert.equal((await body.read()).length, outcome);
            }
        }
    }
});

it('a body that ends too early is refused, whether or not a read waits for it', async (t) => {
    const { body, socket } = await receive(t, 'Content-Length: 10', ['123']);
    const reading = body.read();
    socket.destroy();
    await assert.rejects(reading, isKind('invalid'));
    const other = await receive(t, 'Content-Length: 10', ['123']);
    other.socket.destroy();
    await other.body.drop();
    await assert.rejects(other.body.read(), isKind('invalid'));
});

it('a body that is not read yet does not fill the memory', async (t) => {
    const { body, socket } = await receive(t, `Content-Length: ${MAX_BODY_BYTES}`, ['x'.repeat(MAX_BODY_BYTES)]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.ok(!body.hasArrived(), 'the whole body was read');
    assert.ok(!socket.destroyed);
    assert.equal((await body.read()).length, MAX_BODY_BYTES);
});

it('a body that arrives after the answer is dropped, and holds no part of the budget', async (t) => {
    for (const [head, ending] of [
        ['Content-Length: 9000', 'x'.repeat(9_000)],
        ['Transfer-Encoding: chunked', chunked('x'.repeat(9_000), 1_000).join('')],
    ] as const) {
        const { body, socket } = await receive(t, head, []);
        body.discard();
        socket.write(ending);
        while (!body.hasArrived()) await new Promise((resolve) => setTimeout(resolve, 1));
        assert.match((await metrics.expose()).text, /^http_body_bytes 0$/m);
        assert.ok(!socket.destroyed, 'the connection cannot be used again');
    }
});

it('the rest of a body whose answer has been sent is read, even if it had been stopped', async (t) => {
    const text = 'x'.repeat(200_000);
    const { body, socket } = await receive(t, `Content-Length: ${text.length}`, [text]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(!body.hasArrived());
    body.discard();
    while (socket.bytesWritten < text.length || socket.writableLength > 0)
        await new Promise((resolve) => setTimeout(resolve, 1));
    assert.match((await metrics.expose()).text, /^http_body_bytes 0$/m);
});

it('a body in pieces arrives unchanged, and no faster than its pieces are used', async (t) => {
    const text = Array.from({ length: 4_000_000 }, (_, index) => index % 10).join('');
    const { body, request } = await receive(t, `Content-Length: ${text.length}`, [text]);
    let arrived = '';
    let mostHeld = 0;
    for await (const piece of body.pieces(text.length)) {
        mostHeld = Math.max(mostHeld, piece.length + request.readableLength);
        arrived += piece;
        await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(arrived === text);
    assert.ok(mostHeld < 500_000, `${mostHeld}`);
});

it('a body in pieces that is announced as too large, breaks off or stops is refused', async (t) => {
    const announced = await receive(t, 'Content-Length: 11', []);
    await assert.rejects(announced.body.pieces(10).next(), isKind('too_large'));

    const broken = await receive(t, 'Content-Length: 11', ['abc']);
    const pieces = broken.body.pieces(11);
    assert.equal(String((await pieces.next()).value), 'abc');
    broken.socket.destroy();
    await assert.rejects(pieces.next(), isKind('invalid'));

    const stopped = await receive(t, 'Content-Length: 11', ['abc']);
    const rest = stopped.body.pieces(11);
    await rest.next();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const next = rest.next();
    t.mock.timers.tick(15_000);
    await assert.rejects(next, isKind('request_timeout'));
});
