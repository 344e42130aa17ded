import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis as Connection } from 'ioredis';
import { keyBucket } from '../../../../platform/access/buckets.ts';
import { limiter } from '../../../../platform/access/limiter.ts';
import { livenessMarkKey, livenessMarks } from '../../../../platform/access/liveness-marks.ts';
import { jobMetrics } from '../../../../platform/redis/job-metrics.ts';
import { scheduleJobs } from '../../../../platform/redis/jobs.ts';
import { awaitRedis, openRedis, type Redis, shardTag } from '../../../../platform/redis/redis.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet } from '../../../support/harness.ts';
import { startRedisCluster } from '../../../support/redis/cluster.ts';
import { startSentinels } from '../../../support/redis/sentinel.ts';
import { confirmedAt } from '../../../support/test-redis.ts';
import { until } from '../../../support/until.ts';

const SHARDS = 16;
const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Closes what the running test has opened, the last first: a connection would look for stopped sentinels forever. */
function closedAfterTest(): AsyncDisposableStack {
    const closing = new AsyncDisposableStack();
    after(() => closing.disposeAsync());
    return closing;
}

async function connect(url: string, closing: AsyncDisposableStack) {
    const redis = openRedis({ url, log: quiet });
    closing.defer(() => redis.disconnect());
    await awaitRedis(redis, 10_000);
    return redis;
}

const limiterOn = (redis: Redis) =>
    limiter({ redis, shards: SHARDS, windowMs: 60_000, log: quiet, metrics: createMetrics() });

/** The limiter of one gateway, and one key with a live mark. */
async function gatewayAt(url: string, closing = closedAfterTest()) {
    const redis = await connect(url, closing);
    const [account, keyId] = [randomUUID(), randomUUID()];
    const tag = shardTag(account, SHARDS);
    const mark = livenessMarkKey(tag, 'key', keyId);
    const bucket = keyBucket(tag, account, keyId);
    const limitRequest = { tag, bucket, mark, limit: 1_000 };
    const { take } = limiterOn(redis);
    const state = async (confirmed = false) =>
        (await take(limitRequest, confirmed ? confirmedAt(performance.now()) : undefined)).state;
    await state(); // the gateway learns the epoch
    assert.deepEqual([await state(true), await state()], ['admitted', 'admitted']);
    const { refuseAnd } = livenessMarks({ redis, shards: SHARDS });
    return { mark, state, revoke: () => refuseAnd({ account, subject: 'key', ids: [keyId] }, async () => {}) };
}

type Gateway = Awaited<ReturnType<typeof gatewayAt>>;

/**
 * Revokes the key on `old`. The returned function restores the live mark on `promoted`, as if replication had lost the
 * revocation.
 */
async function loseRevocation(gateway: Gateway, old: Connection): Promise<(promoted: Connection) => Promise<void>> {
    const live = (await old.get(gateway.mark)) ?? assert.fail('no live mark');
    await gateway.revoke();
    assert.equal(await gateway.state(), 'refused');
    return async (promoted) => void (await promoted.set(gateway.mark, live, 'PX', 60_000));
}

/** The state that the gateway returns as soon as Redis decides again. */
async function decided(gateway: Gateway): Promise<string> {
    let state: string = 'unreachable';
    await until('Redis decides again', async () => {
        state = await gateway.state();
        return state !== 'unreachable';
    });
    return state;
}

/** Resolves when a new confirmation counts: the gateway may lose further connections to the old master after the first. */
function confirmed(gateway: Gateway): Promise<void> {
    return until('a new confirmation counts', async () => (await gateway.state(true)) === 'admitted');
}

/**
 * Calls the limiters of two gateways constantly. `limitsAreExact` ends this load, and checks that new limits are exact
 * over both.
 */
async function loadOn(url: string, closing = closedAfterTest()) {
    const connections = [await connect(url, closing), await connect(url, closing)];
    const takes = connections.map((redis) => limiterOn(redis).take);
    const request = (shard: number, limit: number) => ({
        tag: `{${shard}}`,
        bucket: `window:{${shard}}:${randomUUID()}`,
        limit,
    });
    const onAllShards = () => SHARD_NUMBERS.flatMap((shard) => takes.map((take) => take(request(shard, 10))));
    const states = async () => (await Promise.all(onAllShards())).map(({ state }) => state);
    let over = false;
    const load = (async () => {
        while (!over) {
            await states();
            await nextTurn(); // without Redis the answers come at once
        }
    })();
    closing.defer(async () => {
        over = true;
    });
    return {
        async limitsAreExact() {
            over = true;
            await load;
            await until('all shards decide again', async () => !(await states()).includes('unreachable'));
            const ofShards = SHARD_NUMBERS.map(async (shard) => {
                const limited = request(shard, 5);
                const decisions = Array.from({ length: 4 }, () => takes.map((take) => take(limited)));
                return (await Promise.all(decisions.flat())).map(({ state }) => state).sort();
            });
            const exactly = [...Array(5).fill('admitted'), ...Array(3).fill('limited')];
            for (const decided of await Promise.all(ofShards)) assert.deepEqual(decided, exactly);
        },
    };
}

/** Makes a replica the master without the agreement of other nodes, as after a partition. */
async function takeOver({ from, to }: { from: Connection; to: Connection }): Promise<void> {
    await until('the replica has a copy', async () => (await to.info('replication')).includes('master_link_status:up'));
    await to.call('CLUSTER', 'FAILOVER', 'TAKEOVER');
    await until('the old master follows', async () => !(await isMaster(from)));
}

const isMaster = async (node: Connection): Promise<boolean> => (await node.info('replication')).includes('role:master');

for (const tls of [false, true])
    describe(`after the promotion of a replica that has lost a revocation${tls ? ', over TLS' : ''}, the revoked key is not accepted`, async () => {
        const cluster = await startRedisCluster({ replicas: 1, tls });
        after(() => cluster.stop());

        /** The master that holds the gateway's key, and its replica. */
        async function pairOf({ mark }: Gateway) {
            const [first] = cluster.nodes;
            const slot = Number(await first?.cluster('KEYSLOT', mark));
            const index = [5_460, 10_922, 16_383].findIndex((last) => slot <= last);
            const [master, replica] = [cluster.members[index], cluster.members[index + 3]];
            return master && replica ? { master, replica } : assert.fail('no such node');
        }

        it('in a cluster whose old master keeps running and redirects the gateway', async () => {
            const gateway = await gatewayAt(cluster.url);
            const { master, replica } = await pairOf(gateway);
            await takeOver({ from: master.redis, to: replica.redis });
            assert.equal(await decided(gateway), 'unconfirmed');
            await confirmed(gateway);
            // Now the gateway has a connection to both. After the next takeover it is redirected, and loses no connection.
            const lose = await loseRevocation(gateway, replica.redis);
            await takeOver({ from: replica.redis, to: master.redis });
            await lose(master.redis);
            assert.equal(await decided(gateway), 'unconfirmed');
        });

        it('in a cluster whose master has died', async () => {
            const gateway = await gatewayAt(cluster.url);
            const { master, replica } = await pairOf(gateway);
            const lose = await loseRevocation(gateway, master.redis);
            const load = await loadOn(cluster.url);
            await master.kill();
            await until('the replica is promoted', () => isMaster(replica.redis));
            await lose(replica.redis);
            assert.equal(await decided(gateway), 'unconfirmed');
            await confirmed(gateway);
            await load.limitsAreExact();
        });

        it('with sentinels and a master that hangs, and jobs continue to run', async () => {
            const sentinels = await startSentinels({ tls });
            const closing = closedAfterTest();
            closing.defer(() => sentinels.stop());
            const [master, replica] = sentinels.nodes;
            let runs = 0;
            const scheduled = scheduleJobs({
                redisUrl: sentinels.url,
                role: 'test',
                jobs: { work: { everyMs: 100, run: async () => runs++ } },
                log: quiet,
                metrics: jobMetrics(createMetrics()),
            });
            closing.defer(() => scheduled.stop());
            await until('the job runs', () => runs > 1);
            const gateway = await gatewayAt(sentinels.url, closing);
            const lose = await loseRevocation(gateway, master.redis);
            const load = await loadOn(sentinels.url, closing);
            master.suspend();
            await until('the replica is promoted', () => isMaster(replica.redis));
            await lose(replica.redis);
            assert.equal(await decided(gateway), 'unconfirmed');
            await confirmed(gateway);
            await load.limitsAreExact();
            const before = runs;
            await until('the job runs on', () => runs > before);
            master.resume();
        });
    });
