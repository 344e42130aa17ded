import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueStats } from '../../../platform/queue-stats.ts';
import { testContext } from '../../support/harness.ts';
import { connectTo, startReplica } from './rpc.fixture.ts';

const framedCalls = () => queueStats('rpc_calls').items;

test('without frames every call is a plain unary call, and with frames none of them is', async (t) => {
    const replica = await startReplica(t);
    for (const [frames, expected] of [
        [false, 0],
        [true, 5],
    ] as const) {
        const did = connectTo(t, [replica.address], { frames });
        const before = framedCalls();
        const calls = Array.from({ length: 5 }, (_, index) =>
            did.resolve({ did: `d${index}`, derive: false }, testContext()),
        );
        assert.deepEqual(
            (await Promise.all(calls)).map((answer) => answer.did),
            ['d0', 'd1', 'd2', 'd3', 'd4'],
        );
        assert.equal(framedCalls() - before, expected);
    }
});

test('without frames a process that stops answers the calls that it has, and another replica gets the next ones', async (t) => {
    const [first, second] = [await startReplica(t), await startReplica(t)];
    const did = connectTo(t, [first.address, second.address], { frames: false });
    await did.resolve({ did: 'warm', derive: false }, testContext());
    const held = Array.from({ length: 8 }, (_, index) =>
        did.resolve({ did: `held ${index}`, derive: false }, testContext()),
    );
    while (first.ran.length + second.ran.length < 9) await new Promise(setImmediate);
    const stopped = first.stop();
    for (let index = 0; index < 20; index++) await did.resolve({ did: `later ${index}`, derive: false }, testContext());
    first.release();
    second.release();
    assert.equal((await Promise.all(held)).length, 8);
    await stopped;
});
