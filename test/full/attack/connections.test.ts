import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkMany, scale, sendTogether } from './many.ts';
import { observe } from './observe.ts';
import { IS_WHOLE, startTarget } from './target.ts';
import { answered, closed, dial, dialAll, post, repeat, request } from './wire.ts';

/** Many connections that do the same thing at the same moment. */

const target = await startTarget();
after(() => target.stop());

it('connections that pipeline after their first answer do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(200));
    await Promise.all(sockets.map((socket) => answered(socket, request('GET /x'))));
    const text = request('GET /x').repeat(120);
    const observed = await observe(target, () => sendTogether(sockets, text, 4_000));
    checkMany(observed, sockets.length * text.length, 'connections that pipeline after an answer');
});

it('connections that send their first request together do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(3_000));
    const text = request('GET /x');
    const observed = await observe(target, () => sendTogether(sockets, text, 3_000));
    checkMany(observed, sockets.length * text.length, 'first requests');
});

it('connections that pipeline and read nothing do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(300));
    const text = request('GET /openapi.json').repeat(100);
    const observed = await observe(target, async () => {
        for (const socket of sockets) socket.pause().write(text);
        await delay(6_000);
        for (const socket of sockets) socket.destroy();
    });
    checkMany(observed, sockets.length * text.length, 'unread pages');
});

it('clients that read nothing are disconnected and do not delay other clients', async () => {
    const clients = scale(300);
    const text = request('GET /openapi.json').repeat(20) + request('GET /docs').repeat(20);
    let cut = 0;
    const observed = await observe(target, () =>
        repeat(clients, clients, async () => {
            const socket = await dial(target);
            socket.pause().write(text);
            // A client that reads nothing learns only from a write that it was disconnected: the write gets a reset.
            const giveUp = performance.now() + 120_000;
            while (!socket.destroyed && performance.now() < giveUp) {
                await delay(500);
                socket.write('\r\n');
            }
            if (socket.destroyed) cut++;
            socket.destroy();
        }),
    );
    checkMany(observed, clients * text.length, 'clients that read nothing');
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
    checkMany(observed, 40 * clients, 'idle and slow connections');
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
    checkMany(observed, 40 * idle.length, 'connections above the limit');
});

/** A header of a request that is not complete, with as many short fields as one read can have. */
const UNFINISHED = `GET / HTTP/1.1\r\n${'a:\r\n'.repeat(16_000)}`;

it('headers of many short fields that do not end do not delay other clients', async () => {
    const sockets = await dialAll(target, scale(1_500));
    const observed = await observe(target, () => sendTogether(sockets, UNFINISHED, 5_000));
    checkMany(observed, sockets.length * UNFINISHED.length, 'headers that do not end');
});

it('connections that pipeline as much as they may are cut before they hold much memory', async () => {
    const sockets = await dialAll(target, scale(3_000));
    const text = request('GET /x').repeat(64);
    // The gateway keeps 4,096 of these requests. While it answers them, a slow machine is full for longer than a burst.
    const mayBeShed = true;
    const observed = await observe(target, () => sendTogether(sockets, text, 5_000), { mayBeShed });
    checkMany(observed, sockets.length * text.length, '64 pipelined requests on each connection');
});

it('connections that send garbage, or reset with requests in progress, do not delay other clients', async () => {
    const garbage = await dialAll(target, scale(3_000));
    const resetting = await dialAll(target, scale(150));
    const observed = await observe(target, async () => {
        for (const socket of garbage) socket.resume().write('X\r\n\r\n');
        await delay(2_000);
        for (const socket of resetting) socket.write(request('GET /x').repeat(64));
        await delay(20);
        for (const socket of resetting) socket.resetAndDestroy();
        await delay(2_000);
    });
    for (const socket of garbage) socket.destroy();
    checkMany(observed, 3_000 * scale(3_000), 'garbage and resets');
});

it('thousands of requests that do not arrive in time are answered without delaying other clients', async () => {
    const sockets = await dialAll(target, scale(5_000));
    const answers: string[] = [];
    for (const socket of sockets) socket.on('data', (data: Buffer) => answers.push(data.toString('latin1', 9, 12)));
    const observed = await observe(target, async () => {
        for (const socket of sockets) socket.write('G');
        await Promise.all(sockets.map((socket) => closed(socket, 20_000)));
    });
    for (const socket of sockets) socket.destroy();
    checkMany(observed, 3_000 * sockets.length, 'requests that do not arrive in time');
    assert.deepEqual(new Set(answers), new Set(['408']));
    assert.equal(answers.length, sockets.length);
});
