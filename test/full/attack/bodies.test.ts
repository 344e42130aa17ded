import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkMany, scale, sendTogether } from './many.ts';
import { observe } from './observe.ts';
import { startTarget } from './target.ts';
import { answered, dial, dialAll, post, request } from './wire.ts';

/** Many bodies at the same moment, and bodies that arrive in odd ways. */

/** A body just below the size limit of the gateway, in bytes. */
const BODY_BYTES = (1 << 20) - 1_024;

const target = await startTarget();
after(() => target.stop());
const KEY = `Authorization: Bearer ${target.caller.api_key}`;

for (const [what, connections, chunks] of [
    ['many connections', scale(100), 10_000],
    ['one connection', 1, 1_000_000],
] as const) {
    it(`chunks of one byte on ${what} do not delay other clients`, async () => {
        const sockets = await dialAll(target, connections);
        const text = request('POST /x', ['Transfer-Encoding: chunked'], '1\r\n \r\n'.repeat(scale(chunks)));
        const observed = await observe(target, () => sendTogether(sockets, text, 5_000));
        checkMany(observed, sockets.length * text.length, `chunks of one byte, ${what}`);
    });
}

/** Sends all but the last byte of `text` on `count` connections, then the last byte on all. Returns the statuses. */
async function finishTogether(count: number, text: string): Promise<Array<number | undefined>> {
    const sockets = await dialAll(target, count);
    const statuses = sockets.map((socket) => answered(socket, text.slice(0, -1)));
    await delay(2_000);
    for (const socket of sockets) socket.write(text.slice(-1));
    const all = await Promise.all(statuses);
    for (const socket of sockets) socket.destroy();
    return all;
}

/** The accepted body that takes longest to parse: the largest allowed number of keys, and a long string of escapes. */
function keysAndEscapes(size: number): string {
    const keys = Array.from({ length: 19_999 }, (_, index) => `"k${index}":0`).join();
    return `{${keys},"z":"${'\\u00e9'.repeat(Math.floor((size - keys.length - 9) / 6))}"}`;
}

it('large bodies that end at the same moment are parsed one at a time, and other requests run in between', async () => {
    const bodies = scale(200);
    const body = keysAndEscapes(BODY_BYTES);
    const unknownCallers: Array<number | undefined> = [];
    const callers: Array<number | undefined> = [];
    const observed = await observe(target, async () => {
        unknownCallers.push(...(await finishTogether(bodies, post('/internal/v1/auth/login', [], body))));
        callers.push(...(await finishTogether(bodies, post('/v1/did', [KEY], body))));
    });
    checkMany(observed, 2 * bodies * BODY_BYTES, 'large bodies that end together');
    assert.deepEqual(new Set(unknownCallers), new Set([413]), 'an unknown caller may send at most 32 KiB');
    assert.ok(
        callers.every((status) => status === 201 || status === 503),
        callers.join(),
    );
});

it('a thousand small bodies that end at the same moment do not delay other clients', async () => {
    const bodies = scale(1_000);
    const body = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, '\\"x'])));
    const statuses: Array<number | undefined> = [];
    const observed = await observe(target, async () => {
        statuses.push(...(await finishTogether(bodies, post('/internal/v1/auth/login', [], body))));
    });
    checkMany(observed, bodies * body.length, 'small bodies that end together');
    assert.ok(
        statuses.every((status) => status === 400 || status === 503),
        statuses.join(),
    );
});

it('bodies that are sent after their answer hold no memory', async () => {
    const [head, body] = [request('HEAD /docs', ['Content-Length: 16000']), ' '.repeat(16_000)];
    const socket = await dial(target);
    const observed = await observe(target, async () => {
        for (let turn = 0; turn < scale(2_500); turn++) {
            assert.equal(await answered(socket, head), 200);
            socket.write(body);
        }
    });
    checkMany(observed, scale(2_500) * body.length, 'bodies after their answers');
    const metrics = await (await fetch(`http://${target.ops}/metrics`)).text();
    assert.match(metrics, /^http_body_bytes 0$/m);
    socket.destroy();
});

it('clients that send bodies slowly do not keep others from sending theirs', async () => {
    const slow = await dialAll(target, scale(2_100));
    const begun = post('/internal/v1/auth/login', [], ' '.repeat(32_768)).slice(0, -1);
    for (const socket of slow) socket.write(begun);
    await delay(2_500);
    const observed = await observe(target, async () => {
        for (let turn = 0; turn < 20; turn++) {
            const body = `{"did":"${' '.repeat(15_000)}"}`;
            const socket = await dial(target);
            assert.equal(await answered(socket, post('/internal/v1/auth/login', [], body)), 400);
            socket.destroy();
        }
    });
    for (const socket of slow) socket.destroy();
    checkMany(observed, slow.length * begun.length, 'slow bodies');
});
