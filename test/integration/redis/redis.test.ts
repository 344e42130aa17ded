import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { testRedis } from '../../support/harness.ts';

const redis = await testRedis();

it('an answer that arrived while this process was stalled is accepted, however long the stall was', async () => {
    const answers = [redis.ping(), redis.get(`nothing:${randomUUID()}`)];
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800); // longer than a command may take
    assert.deepEqual(await Promise.all(answers), ['PONG', null]);
});

it('a command that Redis does not answer in time fails', async () => {
    await assert.rejects(redis.blpop(`nothing:${randomUUID()}`, 30), {
        name: 'TimeoutError',
        message: /did not answer in time/,
    });
});
