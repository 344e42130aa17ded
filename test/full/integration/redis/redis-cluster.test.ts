import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keyBucket } from '../../../../platform/access/buckets.ts';
import { guard } from '../../../../platform/access/guard.ts';
import { limiter } from '../../../../platform/access/limiter.ts';
import { livenessMarkKey, livenessMarks } from '../../../../platform/access/liveness-marks.ts';
import { jobMetrics } from '../../../../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../../../../platform/redis/jobs.ts';
import { awaitRedis, openRedis, shardTag } from '../../../../platform/redis/redis.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet } from '../../../support/context.ts';
import { startRedisCluster } from '../../../support/redis/cluster.ts';
import { confirmedAt } from '../../../support/test-redis.ts';

const SHARDS = 16;
/** Enough accounts for every shard to have at least one. */
const ACCOUNTS = 200;

const cluster = await startRedisCluster();
after(() => cluster.stop());

async function connection() {
    const redis = openRedis({ url: cluster.url, log: quiet });
    after(() => redis.disconnect());
    await awaitRedis(redis, 5_000);
    return redis;
}

/** Two gateways. Each has a limiter on a connection of its own. */
const [redis, other] = [await connection(), await connection()];
const gateways = [redis, other].map((redis) =>
    limiter({ redis, shards: SHARDS, windowMs: 60_000, log: quiet, metrics: createMetrics() }),
);

function newLimitRequest(limit: number) {
    const [account, keyId] = [randomUUID(), randomUUID()];
    const tag = shardTag(account, SHARDS);
    const bucket = keyBucket(tag, account, keyId);
    const mark = livenessMarkKey(tag, 'key', keyId);
    return {
        account,
        key_id: keyId,
        limitRequest: { tag, bucket, mark, limit },
    };
}

type LimitRequest = ReturnType<typeof newLimitRequest>['limitRequest'];

/** The states of `times` calls with a confirmed key, spread over the gateways. */
async function take(limitRequest: LimitRequest, times: number): Promise<string[]> {
    const calls = Array.from({ length: times }, (_, call) =>
        gateways[call % 2]?.take(limitRequest, confirmedAt(performance.now())),
    );
    return (await Promise.all(calls)).map((decision) => decision?.state ?? 'none');
}

/**
 * The first calls, all at once. They also teach each gateway the epoch of each shard, because a confirmation by the
 * owning service from before that does not count.
 */
const first = await Promise.all(
    gateways.flatMap(({ take }) =>
        Array.from({ length: SHARDS }, (_, shard) =>
            take({ tag: `{${shard}}`, bucket: `window:{${shard}}:first`, limit: 10 }),
        ),
    ),
);

it('a connection that is ready can reach every node', () => {
    assert.deepEqual(new Set(first.map(({ state }) => state)), new Set(['admitted']));
});

it('the limit of each account is exact over two gateways, and the Redis keys are spread over all nodes', async () => {
    const before = await Promise.all(cluster.nodes.map((node) => node.dbsize()));
    const claims = Array.from({ length: ACCOUNTS }, () => newLimitRequest(5).limitRequest);
    assert.equal(new Set(claims.map(({ tag }) => tag)).size, SHARDS);
    const states = await Promise.all(claims.map((limitRequest) => take(limitRequest, 8)));
    for (const ofAccount of states) {
        assert.deepEqual(ofAccount.toSorted(), [...Array(5).fill('admitted'), ...Array(3).fill('limited')]);
    }
    const sizes = await Promise.all(cluster.nodes.map((node) => node.dbsize()));
    for (const [node, size] of sizes.entries()) assert.ok(size - (before[node] ?? 0) > ACCOUNTS / 8, `node ${node}`);
});

it('a revoked key is refused on the next call, on every gateway and every node', async () => {
    const ended = livenessMarks({ redis, shards: SHARDS });
    const keys = Array.from({ length: ACCOUNTS }, () => newLimitRequest(100));
    await Promise.all(
        keys.map(async ({ account, key_id, limitRequest }) => {
            assert.deepEqual(await take(limitRequest, 2), ['admitted', 'admitted']);
            await ended.refuseAnd({ account, subject: 'key', ids: [key_id] }, async () => {});
            assert.deepEqual(await take(limitRequest, 2), ['refused', 'refused']);
        }),
    );
});

it('wrong passwords are counted', async () => {
    const { attempt } = guard({ redis: other, shards: SHARDS });
    const target = { subject: randomUUID(), address: '192.0.2.1' };
    for (let guess = 0; guess < 10; guess++) await attempt(target, async () => undefined);
    await assert.rejects(
        attempt(target, async () => true),
        { kind: 'rate_limited' },
    );
});

it('the jobs of each role run on the node of its queue', async () => {
    const runs = new Map<string, number>();
    const metrics = jobMetrics(createMetrics());
    const roles = ['usage', 'identity', 'keys', 'did', 'wallet'];
    const scheduled = roles.map((role) => {
        const run = async () => runs.set(role, (runs.get(role) ?? 0) + 1);
        return scheduleJobs({
            redisUrl: cluster.url,
            role,
            jobs: { work: { everyMs: 20, run } },
            log: quiet,
            metrics,
        });
    });
    after(() => Promise.all(scheduled.map(({ stop }) => stop())));
    const giveUp = performance.now() + 20_000;
    while (!roles.every((role) => (runs.get(role) ?? 0) > 5)) {
        assert.ok(performance.now() < giveUp, `only ${JSON.stringify([...runs])}`);
        await delay(20);
    }
});

it('a node that has crashed is used again, and keys whose liveness mark is lost need a new confirmation', async () => {
    const keys = Array.from({ length: ACCOUNTS }, () => newLimitRequest(100).limitRequest);
    for (const states of await Promise.all(keys.map((limitRequest) => take(limitRequest, 2)))) {
        assert.deepEqual(states, ['admitted', 'admitted']);
    }
    await cluster.crash(0);
    const states = async (): Promise<string[]> => {
        const decisions = await Promise.all(keys.map((limitRequest) => gateways[0]?.take(limitRequest)));
        return decisions.map((decision) => decision?.state ?? 'none');
    };
    const giveUp = performance.now() + 30_000;
    let seen = await states();
    while (seen.includes('unreachable')) {
        assert.ok(performance.now() < giveUp, 'the node is not used again');
        await delay(50);
        seen = await states();
    }
    assert.deepEqual(new Set(seen), new Set(['admitted', 'unconfirmed']));
    const again = await Promise.all(
        keys.map((limitRequest) => gateways[0]?.take(limitRequest, confirmedAt(performance.now()))),
    );
    assert.deepEqual(new Set(again.map((decision) => decision?.state)), new Set(['admitted']));
});
