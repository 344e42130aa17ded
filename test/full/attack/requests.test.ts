import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { checkMany } from './many.ts';
import { type Observed, observe } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { assertNeverBlocked, assertUnharmed, GROWTH_BYTES } from './verdict.ts';
import { closed, dial, post, repeat, request, statusOf } from './wire.ts';
import { WORST_HEADERS, WORST_JSON, WORST_TARGETS } from './worst-texts.ts';

/** Sizes just below the limits of the gateway for a body and for a header, in bytes. */
const BODY_BYTES = (1 << 20) - 1_024;
const HEADER_BYTES = 15 << 10;
/** Number of times that each request is sent, one after the other. */
const ROUNDS = IS_WHOLE ? 20 : 2;

const target = await startTarget();
after(() => target.stop());
const { api_key, token } = target.caller;
const KEY = `Authorization: Bearer ${api_key}`;
const CHUNKED = [KEY, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];

/** Each request runs alone here and must not block the event loop. connections.test.ts tests many at once. */
function check(observed: Observed, sentBytes: number, what: string): void {
    assertUnharmed(what, observed, { sentBytes, growthBytes: GROWTH_BYTES.single });
    assertNeverBlocked(what, observed);
}

/** Sends `text` ROUNDS times, each time on a new connection, and requires a status below 500. */
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
    it(`a body with ${what} does not block the event loop`, async () => {
        const body = textOf(BODY_BYTES);
        await send(`unknown caller, ${what}`, post('/v1/credentials', [], body));
        for (const path of ['/v1/credentials', '/v1/presentations', '/v1/did']) {
            await send(`${path}, ${what}`, post(path, [KEY], body));
        }
        await send(`batch, ${what}`, post('/internal/v1/admin/users/batch', [secret()], body));
    });
}

for (const [what, textOf] of Object.entries(WORST_TARGETS)) {
    it(`a target with ${what} does not block the event loop`, () =>
        send(what, request(`GET ${textOf(HEADER_BYTES)}`, [`Authorization: Bearer ${token}`])));
}

for (const [what, textOf] of Object.entries(WORST_HEADERS)) {
    it(`a header with ${what} does not block the event loop`, () =>
        send(what, request('GET /docs', [textOf(HEADER_BYTES)])));
}

it('a body in chunks of one byte is refused and takes no extra memory', async () => {
    const body = `{"a":"${'x'.repeat(IS_WHOLE ? 1_000_000 : 100_000)}"}`;
    const chunks = `${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
    for (const [what, headers, status] of [
        ['with a key', CHUNKED, 400],
        ['without a key', CHUNKED.slice(1), 401],
    ] as const) {
        const text = request('POST /v1/did', headers, chunks);
        const observed = await observe(target, async () => assert.equal(await statusOf(target, text), status));
        check(observed, text.length, `chunks of one byte, ${what}`);
        assert.ok(observed.grownBytes < 4 * text.length + (64 << 20), `grown by ${observed.grownBytes} bytes`);
    }
});

it('a compressed body is refused without being decompressed', async () => {
    const packed = gzipSync(Buffer.alloc(50 << 20)).toString('latin1');
    await send('gzip', post('/v1/did', [KEY, 'Content-Encoding: gzip'], packed));
});

it('five thousand pipelined requests on one connection do not delay other clients', async () => {
    const text = request('POST /v1/did', [KEY]).repeat(5_000);
    const observed = await observe(target, () =>
        repeat(ROUNDS, 1, async () => {
            const socket = await dial(target);
            socket.write(text);
            await closed(socket, 5_000);
            socket.destroy();
        }),
    );
    checkMany(observed, ROUNDS * text.length, 'pipelined requests'); // Node parses them in one go
});

function secret(): string {
    return `X-Internal-Secret: ${target.internal_secret}`;
}
