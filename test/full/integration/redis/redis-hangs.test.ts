import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { awaitRedis, openPatientRedis, openRedis, type Redis } from '../../../../platform/redis/redis.ts';
import { quiet } from '../../../support/harness.ts';
import { startRedisCluster } from '../../../support/redis/cluster.ts';
import { redisServers } from '../../../support/redis/node.ts';
import { until } from '../../../support/until.ts';

/** How long commands are sent to a Redis that hangs (ms): several times the timeout of a command. */
const HANG_MS = 4_000;

const servers = await redisServers();
after(() => servers.close());
const node = await servers.start({ requirepass: 'secret' });
after(() => node.stop());
const url = `redis://:${node.password}@127.0.0.1:${node.port}`;

async function connection(open: typeof openRedis, to: string): Promise<Redis> {
    const redis = open({ url: to, log: quiet });
    after(() => redis.disconnect());
    await awaitRedis(redis, 10_000);
    return redis;
}

/** Sends commands one after another for HANG_MS. Returns how many of them timed out. */
async function countWaiting(redis: Redis, key: string): Promise<number> {
    let waited = 0;
    for (const end = performance.now() + HANG_MS; performance.now() < end; await delay(20)) {
        const error = await redis.get(key).then(
            () => assert.fail('a Redis that hangs must not answer'),
            (reason: Error) => reason,
        );
        if (error.name === 'TimeoutError') waited++;
    }
    return waited;
}

it('only one command waits for a Redis that hangs, and all others fail at once until it answers again', async () => {
    const redis = await connection(openRedis, url);
    await redis.set('key', 'value');
    node.suspend();
    assert.equal(await countWaiting(redis, 'key'), 1);
    node.resume();
    await until('Redis is used again', () => redis.status === 'ready');
    assert.equal(await redis.get('key'), 'value');
});

it('only one command waits for a node of a cluster that hangs, and the other nodes keep answering', async () => {
    const cluster = await startRedisCluster();
    after(() => cluster.stop());
    const redis = await connection(openRedis, cluster.url);
    const [first] = cluster.members;
    const onFirst = 'bar'; // slot 5061
    const elsewhere = 'foo'; // slot 12182
    await redis.set(onFirst, 'value');
    await redis.set(elsewhere, 'value');
    first?.suspend();
    const elsewhereServed = redis.get(elsewhere);
    assert.equal(await countWaiting(redis, onFirst), 1);
    assert.equal(await elsewhereServed, 'value');
    first?.resume();
    await until('Redis is used again', async () => (await redis.get(onFirst).catch(() => undefined)) === 'value');
});

it('the connection of the job queues is replaced if Redis is silent for longer than a command may block', async () => {
    const redis = await connection(openPatientRedis, url);
    const closed = Promise.withResolvers<void>();
    redis.once('close', closed.resolve);
    node.suspend();
    const answer = redis.ping();
    await closed.promise;
    node.resume();
    assert.equal(await answer, 'PONG', 'the command is sent again');
});
