import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { awaitRedis, openRedis } from '../../../platform/redis/redis.ts';
import { quiet, redisUrl } from '../../support/harness.ts';

const redis = openRedis({ url: redisUrl, log: quiet });
await awaitRedis(redis, 60_000);
after(() => redis.disconnect());

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
