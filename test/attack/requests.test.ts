import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Observed, observe } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { closed, dial, post, repeat, request, statusOf } from './wire.ts';
import { WORST_HEADERS, WORST_JSON, WORST_TARGETS } from './worst-texts.ts';

/** The largest body and header that are read. */
const BODY_BYTES = (1 << 20) - 1_024;
const HEADER_BYTES = 15 << 10;
/** How often each request is sent, one after the other. */
const ROUNDS = IS_WHOLE ? 20 : 2;

const target = await startTarget();
after(() => target.stop());
const { api_key, token } = target.caller;
const KEY = `Authorization: Bearer ${api_key}`;
const CHUNKED = [KEY, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];

/** What an ordinary client waits for while nothing is attacked: the measure of what it waits for meanwhile. */
const idle = await observe(target, () => repeat(IS_WHOLE ? 200 : 5, 1, () => statusOf(target, request('GET /docs'))));

function check(observed: Observed, sent_bytes: number, what: string): void {
    assert.ok(observed.survived, `${what}: the process did not survive`);
    assert.equal(observed.client.failed, 0, `${what}: calls of an ordinary client failed`);
    if (!IS_WHOLE) return; // what follows needs a machine that is quiet otherwise
    console.log(
        `${what}: p99 ${observed.client.p99.toFixed(1)} ms (idle ${idle.client.p99.toFixed(1)}), longest ` +
            `${observed.client.longest.toFixed(1)} ms, delays over 50 ms ${observed.long_delays}, grown by ` +
            `${(observed.grown.most / 2 ** 20).toFixed(0)} MiB`,
    );
    assert.equal(observed.long_delays, 0, `${what}: the event loop was blocked`);
    assert.ok(
        observed.grown.most <= 4 * sent_bytes + (32 << 20),
        `${what}: memory grew by ${observed.grown.most} bytes`,
    );
}

/** Sends `text` several times, each on a connection of its own, and expects an answer below 500 to each. */
async function send(what: string, text: string): Promise<void> {
    const observed = await observe(target, () =>
        repeat(ROUNDS, 1, async () => {
            const status = await statusOf(target, text);
            assert.ok(status !== undefined && status < 500, `${what}: answered ${status}`);
        }),
    );
    check(observed, ROUNDS * text.length, what);
}

for (const [what, textOf] of Object.entries(WORST_JSON)) {
    it(`a body with ${what} blocks nobody`, async () => {
        const body = textOf(BODY_BYTES);
        await send(`stranger, ${what}`, post('/v1/credentials', [], body));
        for (const path of ['/v1/credentials', '/v1/presentations', '/v1/did']) {
            await send(`${path}, ${what}`, post(path, [KEY], body));
        }
        await send(`batch, ${what}`, post('/internal/v1/admin/users/batch', [secret()], body));
    });
}

for (const [what, textOf] of Object.entries(WORST_TARGETS)) {
    it(`a target with ${what} blocks nobody`, () =>
        send(what, request(`GET ${textOf(HEADER_BYTES)}`, [`Authorization: Bearer ${token}`])));
}

for (const [what, textOf] of Object.entries(WORST_HEADERS)) {
    it(`a header with ${what} blocks nobody`, () => send(what, request('GET /docs', [textOf(HEADER_BYTES)])));
}

it('a body in chunks of one byte takes no more memory than another one, and is refused', async () => {
    const body = `{"a":"${'x'.repeat(IS_WHOLE ? 1_000_000 : 100_000)}"}`;
    const chunks = `${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
    for (const [what, headers, status] of [
        ['with a key', CHUNKED, 400],
        ['without a key', CHUNKED.slice(1), 401],
    ] as const) {
        const text = request('POST /v1/did', headers, chunks);
        const observed = await observe(target, async () => assert.equal(await statusOf(target, text), status));
        check(observed, text.length, `chunks of one byte, ${what}`);
        assert.ok(observed.grown.most < 4 * text.length + (64 << 20), `grown by ${observed.grown.most} bytes`);
    }
});

it('a compressed body is refused without being unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(50 << 20)).toString('latin1');
    await send('gzip', post('/v1/did', [KEY, 'Content-Encoding: gzip'], packed));
});

it('five thousand requests at once on one connection keep nobody waiting', async () => {
    const text = request('POST /v1/did', [KEY]).repeat(5_000);
    const observed = await observe(target, () =>
        repeat(ROUNDS, 1, async () => {
            const socket = await dial(target);
            socket.write(text);
            await closed(socket, 5_000);
            socket.destroy();
        }),
    );
    check(observed, ROUNDS * text.length, 'pipelined requests');
});

it('clients that read nothing are cut off, and keep nobody waiting', async () => {
    const clients = IS_WHOLE ? 300 : 20;
    const text = request('GET /openapi.json').repeat(20) + request('GET /docs').repeat(20);
    let cut = 0;
    const observed = await observe(target, () =>
        repeat(clients, clients, async () => {
            const socket = await dial(target);
            socket.pause().write(text);
            // The kernel says by a reset that it was cut off: the reader, which reads nothing, is told nothing else.
            const give_up = performance.now() + 25_000;
            while (!socket.destroyed && performance.now() < give_up) {
                await new Promise((resolve) => setTimeout(resolve, 500));
                socket.write('\r\n');
            }
            if (socket.destroyed) cut++;
            socket.destroy();
        }),
    );
    check(observed, clients * text.length, 'clients that read nothing');
    assert.equal(cut, clients);
});

it('a connection without a request, or with a slow one, keeps nobody waiting', async () => {
    const clients = IS_WHOLE ? 2_000 : 200;
    const observed = await observe(target, () =>
        repeat(clients, clients, async (index) => {
            const socket = await dial(target);
            if (index % 2 === 0) socket.write('GET /docs HTTP/1.1\r\nHost: te');
            await closed(socket, 3_000);
            socket.destroy();
        }),
    );
    check(observed, 40 * clients, 'idle and slow connections');
});

/** Bodies that all lack their last byte, and then get it at the same moment. */
async function finishTogether(count: number, path: string, headers: readonly string[]): Promise<Array<number>> {
    const text = post(path, headers, keysAndEscapes(BODY_BYTES));
    const sockets = await Promise.all(Array.from({ length: count }, () => dial(target)));
    const statuses = sockets.map(
        (socket) =>
            new Promise<number>((resolve) => {
                socket.once('data', (chunk) =>
                    resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(chunk.toString('latin1'))?.[1])),
                );
            }),
    );
    for (const socket of sockets) socket.write(text.slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const socket of sockets) socket.write(text.slice(-1));
    const answered = await Promise.all(statuses);
    for (const socket of sockets) socket.destroy();
    return answered;
}

/** As many keys as are accepted, and a string of escapes: nothing that is accepted takes longer to parse. */
function keysAndEscapes(size: number): string {
    const keys = Array.from({ length: 19_999 }, (_, index) => `"k${index}":0`).join();
    return `{${keys},"z":"${'\\u00e9'.repeat(Math.floor((size - keys.length - 9) / 6))}"}`;
}

it('bodies that end at the same moment are parsed one after the other, with others between them', async () => {
    const bodies = IS_WHOLE ? 200 : 20;
    const statuses: number[] = [];
    const observed = await observe(target, async () => {
        statuses.push(...(await finishTogether(bodies, '/internal/v1/auth/login', [])));
        statuses.push(...(await finishTogether(bodies, '/v1/did', [KEY])));
    });
    check(observed, 2 * bodies * BODY_BYTES, 'bodies that end together');
    assert.deepEqual(new Set(statuses.slice(0, bodies)), new Set([413]), 'a stranger may send 32 KiB');
    assert.ok(
        statuses.slice(bodies).every((status) => [201, 503].includes(status)),
        statuses.join(),
    );
});

it('more connections than there may be push out those that are idle, and nobody else', async () => {
    const sockets: Array<Awaited<ReturnType<typeof dial>>> = [];
    const observed = await observe(target, async () => {
        for (let wave = 0; wave < (IS_WHOLE ? 101 : 5); wave++) {
            sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => dial(target)))));
        }
    });
    for (const socket of sockets) socket.destroy();
    check(observed, 40 * sockets.length, 'connections beyond the bound');
});

function secret(): string {
    return `X-Internal-Secret: ${target.internal_secret}`;
}
