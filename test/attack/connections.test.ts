import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Observed, observe } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { assertUnharmed, GROWTH_BYTES } from './verdict.ts';
import { answered, closed, dial, dialAll, post, repeat, request } from './wire.ts';

/** Many connections that do the same thing at the same moment. `npm test` opens a tenth as many. */

/** Longest time (ms) that an ordinary client may wait during an attack, on two cores that the attacker also uses. */
const LONGEST_WAIT_MS = 350;
/** A body just below the size limit of the gateway, in bytes. */
const BODY_BYTES = (1 << 20) - 1_024;
const scale = (count: number): number => (IS_WHOLE ? count : Math.ceil(count / 10));

const target = await startTarget();
after(() => target.stop());
const KEY = `Authorization: Bearer ${target.caller.api_key}`;

function check(observed: Observed, sentBytes: number, what: string): void {
    assertUnharmed(what, observed, { sentBytes, growthBytes: GROWTH_BYTES.many });
    if (!IS_WHOLE) return;
    const { longest } = observed.client;
    assert.ok(longest <= LONGEST_WAIT_MS, `${what}: an ordinary client waited for ${longest.toFixed(0)} ms`);
}

/** Sends `text` on all connections at the same moment, and closes them after `waitMs`. */
async function sendTogether(sockets: readonly Socket[], text: string, waitMs: number): Promise<void> {
    for (const socket of sockets) socket.resume().write(text);
    await delay(waitMs);
    for (const socket of sockets) socket.destroy();
}

it('connections that pipeline after their first answer do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(200));
    await Promise.all(sockets.map((socket) => answered(socket, request('GET /x'))));
    const text = request('GET /x').repeat(120);
    const observed = await observe(target, () => sendTogether(sockets, text, 4_000));
    check(observed, sockets.length * text.length, 'connections that pipeline after an answer');
});

it('connections that send their first request together do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(3_000));
    const text = request('GET /x');
    const observed = await observe(target, () => sendTogether(sockets, text, 3_000));
    check(observed, sockets.length * text.length, 'first requests');
});

it('connections that pipeline and read nothing do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(300));
    const text = request('GET /openapi.json').repeat(100);
    const observed = await observe(target, async () => {
        for (const socket of sockets) socket.pause().write(text);
        await delay(6_000);
        for (const socket of sockets) socket.destroy();
    });
    check(observed, sockets.length * text.length, 'unread pages');
});

for (const [what, connections, chunks] of [
    ['many connections', scale(100), 10_000],
    ['one connection', 1, 1_000_000],
] as const) {
    it(`chunks of one byte on ${what} do not delay other clients`, async () => {
        const sockets = await dialAll(target, connections);
        const text = request('POST /x', ['Transfer-Encoding: chunked'], '1\r\n \r\n'.repeat(scale(chunks)));
        const observed = await observe(target, () => sendTogether(sockets, text, 5_000));
        check(observed, sockets.length * text.length, `chunks of one byte, ${what}`);
    });
}

it('clients that read nothing are disconnected and do not delay other clients', async () => {
    const clients = scale(300);
    const text = request('GET /openapi.json').repeat(20) + request('GET /docs').repeat(20);
    let cut = 0;
    const observed = await observe(target, () =>
        repeat(clients, clients, async () => {
            const socket = await dial(target);
            socket.pause().write(text);
            // A client that reads nothing learns only from a write that it was disconnected: the write gets a reset.
            const giveUp = performance.now() + 25_000;
            while (!socket.destroyed && performance.now() < giveUp) {
                await delay(500);
                socket.write('\r\n');
            }
            if (socket.destroyed) cut++;
            socket.destroy();
        }),
    );
    check(observed, clients * text.length, 'clients that read nothing');
    assert.equal(cut, clients);
});

it('connections that send no request, or send it slowly, do not delay other clients', async () => {
    const clients = scale(2_000);
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
    check(observed, 2 * bodies * BODY_BYTES, 'large bodies that end together');
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
    check(observed, bodies * body.length, 'small bodies that end together');
    assert.ok(
        statuses.every((status) => status === 400 || status === 503),
        statuses.join(),
    );
});

it('connections above the limit displace idle connections, never busy ones', async () => {
    const started = post('/internal/v1/auth/login', [], '{}').slice(0, -1);
    const busy = await dialAll(target, 100);
    const answers = busy.map((socket) => answered(socket, started));
    const idle: Socket[] = [];
    const observed = await observe(target, async () => {
        for (let wave = 0; wave < (IS_WHOLE ? 100 : 5); wave++) idle.push(...(await dialAll(target, 100)));
    });
    for (const socket of busy) socket.write('}');
    assert.deepEqual(
        new Set(await Promise.all(answers)),
        new Set([400]),
        'the oldest connections are busy and must be answered',
    );
    for (const socket of [...busy, ...idle]) socket.destroy();
    check(observed, 40 * idle.length, 'connections above the limit');
});
