import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { LimitRequest } from '../../../platform/access/limit-decision.ts';
import {
    accountsAwaitingRollUp,
    bucketsAwaitingRollUp,
    DAY_MS,
    decodeLimitRecord,
    keyBucket,
} from '../../../platform/access/limit-record.ts';
import { limiter } from '../../../platform/access/limiter.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import type { RollUpStore } from '../../../workers/usage/roll-up.store.ts';
import { rollUp } from '../../../workers/usage/roll-up.ts';
import { quiet } from '../../support/context.ts';
import { testRedis } from '../../support/test-redis.ts';
import { ageRecord } from '../services/ageing.ts';
import { onOneDay, redisNow } from './redis-clock.ts';

const WINDOW_MS = 60_000;
/** Tolerance for a busy machine, in milliseconds. The tests themselves do not wait. */
const SLACK_MS = 30_000;

const redis = await testRedis();
const { take, countVerified } = limiter({
    redis,
    shards: 1,
    windowMs: WINDOW_MS,
    log: quiet,
    metrics: createMetrics(),
});

/** A limit request without a liveness mark. By default its account is the only one of its shard. */
function newLimitRequest(
    limit = 10,
    account: string = randomUUID(),
    tag = `{${account}}`,
): Omit<Required<LimitRequest>, 'mark'> {
    const bucket = keyBucket(tag, account, randomUUID());
    return {
        tag,
        bucket,
        awaitingRollUp: bucketsAwaitingRollUp(tag, account),
        version: 0,
        limit,
        weight: 1,
        tier: 'pro',
    };
}

const times = <Result>(count: number, call: () => Promise<Result>) => Promise.all(Array.from({ length: count }, call));

async function recordOf({ bucket }: Pick<LimitRequest, 'bucket'>) {
    const packed = await redis.getBuffer(bucket);
    assert.ok(packed, 'there is a record');
    return decodeLimitRecord(packed);
}

describe('the record of a bucket', () => {
    it('has the times of its creation and last use, and counts admitted and refused calls', () =>
        onOneDay(redis, async (day) => {
            const limitRequest = newLimitRequest(2);
            const began = await redisNow(redis);
            await times(5, () => take(limitRequest));
            const { generation, lastUsed, days } = await recordOf(limitRequest);
            const now = await redisNow(redis);
            assert.ok(generation >= began && generation <= now, `${began} ${generation} ${now}`);
            assert.ok(lastUsed >= began && lastUsed <= now);
            assert.deepEqual(days, [{ day, requests: 2, refused: 3, verified: 0 }]);
        }));

    it('keeps its generation and the time of its last use when a call is refused', async () => {
        const limitRequest = newLimitRequest(1);
        await take(limitRequest);
        const before = await recordOf(limitRequest);
        while ((await redisNow(redis)) <= before.lastUsed);
        assert.equal((await take(limitRequest)).state, 'limited');
        const { generation, lastUsed } = await recordOf(limitRequest);
        assert.deepEqual([generation, lastUsed], [before.generation, before.lastUsed]);
    });

    it('counts verified presentations, which do not use up the limit and do not count as a use', () =>
        onOneDay(redis, async (day) => {
            const limitRequest = newLimitRequest(1);
            await times(3, () => countVerified(limitRequest));
            const { lastUsed, days } = await recordOf(limitRequest);
            assert.equal(lastUsed, 0);
            assert.deepEqual(days, [{ day, requests: 0, refused: 0, verified: 3 }]);
            assert.equal((await take(limitRequest)).state, 'admitted');
        }));

    it('is kept for two days, or until the end of the window for an address', async () => {
        const limitRequest = newLimitRequest();
        await take(limitRequest);
        const keptMs = await redis.pttl(limitRequest.bucket);
        assert.ok(keptMs <= 2 * DAY_MS && keptMs > 2 * DAY_MS - SLACK_MS, `${keptMs} ms`);
        const { awaitingRollUp: _, ...ofAddress } = newLimitRequest(1);
        await times(2, () => take(ofAddress));
        const leftMs = await redis.pttl(ofAddress.bucket);
        assert.ok(leftMs <= WINDOW_MS && leftMs > WINDOW_MS - SLACK_MS, `${leftMs} ms`);
        assert.equal(await redis.exists(accountsAwaitingRollUp(ofAddress.tag)), 0);
    });
});

describe('after midnight', () => {
    it('a record keeps the counts of the previous day beside those of the new day', () =>
        onOneDay(redis, async (day) => {
            const limitRequest = newLimitRequest(2);
            await times(3, () => take(limitRequest));
            await countVerified(limitRequest);
            await ageRecord(redis, limitRequest.bucket, 1);
            await take(limitRequest);
            assert.deepEqual((await recordOf(limitRequest)).days, [
                { day, requests: 1, refused: 0, verified: 0 },
                { day: day - 1, requests: 2, refused: 1, verified: 1 },
            ]);
            await take(limitRequest);
            assert.equal((await recordOf(limitRequest)).days[0]?.requests, 2, 'further calls count for the new day');
        }));
});

describe('calls of one batch', () => {
    it('count one after the other in the window of their bucket', async () => {
        const limitRequest = newLimitRequest(3);
        const decisions = await times(5, () => take(limitRequest));
        assert.deepEqual(
            decisions.map(({ state, remaining }) => [state, remaining]),
            [
                ['admitted', 2],
                ['admitted', 1],
                ['admitted', 0],
                ['limited', 0],
                ['limited', 0],
            ],
        );
        assert.deepEqual(new Set(decisions.map(({ limit }) => limit)), new Set([3]));
        assert.equal(new Set(decisions.map(({ reset }) => reset)).size, 1);
    });

    it('use separate buckets, liveness marks and sets for each account', async () => {
        const tag = `{${randomUUID()}}`;
        const claims = [newLimitRequest(5, randomUUID(), tag), newLimitRequest(1, randomUUID(), tag)] as const;
        const refused = { ...claims[1], mark: livenessMarkKey(tag, 'key', randomUUID()) };
        await redis.set(refused.mark, 'R', 'PX', LIVENESS_MARK_MS);
        const decisions = await Promise.all([take(claims[0]), take(refused), take(claims[1]), take(claims[0])]);
        assert.deepEqual(
            decisions.map(({ state, limit, remaining }) => [state, limit, remaining]),
            [
                ['admitted', 5, 4],
                ['refused', 1, 0],
                ['admitted', 1, 0],
                ['admitted', 5, 3],
            ],
        );
        for (const { bucket, awaitingRollUp } of claims)
            assert.deepEqual(await redis.smembers(awaitingRollUp), [bucket]);
        const accounts = await redis.smembers(accountsAwaitingRollUp(tag));
        assert.deepEqual(accounts.sort(), claims.map(({ awaitingRollUp }) => awaitingRollUp).sort());
    });

    it('are limited, with 0 remaining, if the limit has dropped below the number of admitted calls', async () => {
        const limitRequest = newLimitRequest(5);
        await times(3, () => take(limitRequest));
        const { state, remaining } = await take({ ...limitRequest, limit: 1 });
        assert.deepEqual([state, remaining], ['limited', 0]);
    });
});

describe('a call that is not counted', () => {
    for (const [state, mark] of [
        ['refused', 'R'],
        ['unconfirmed', undefined],
    ] as const) {
        it(`because it is ${state} has 0 remaining and a full window to wait`, async () => {
            const limitRequest = newLimitRequest();
            const marked = { ...limitRequest, mark: livenessMarkKey(limitRequest.tag, 'key', randomUUID()) };
            if (mark) await redis.set(marked.mark, mark, 'PX', LIVENESS_MARK_MS);
            const now = await redisNow(redis);
            const decision = await take(marked);
            assert.deepEqual([decision.state, decision.remaining, decision.wait], [state, 0, WINDOW_MS / 1_000]);
            assert.ok(decision.reset * 1_000 >= now + WINDOW_MS);
            assert.ok(decision.reset * 1_000 <= now + WINDOW_MS + SLACK_MS);
            assert.equal(await redis.exists(limitRequest.bucket), 0);
        });
    }
});

describe('a call marks its bucket for the next roll-up', () => {
    it('if it is the first call after a roll-up', async () => {
        const limitRequest = newLimitRequest(10, randomUUID(), '{0}'); // the only shard that is rolled up below
        const recorded: string[] = [];
        const store: RollUpStore = {
            rollUpPendingCounts: async () => 0,
            sweepPendingCounts: async () => {},
            recordRequests: async (counts) => void recorded.push(...counts.map(({ bucket }) => bucket)),
        };
        for (let round = 1; round <= 2; round++) {
            await take(limitRequest);
            assert.deepEqual(await redis.smembers(limitRequest.awaitingRollUp), [limitRequest.bucket]);
            await rollUp({ store, redis, shards: 1 });
            assert.equal(await redis.exists(limitRequest.awaitingRollUp), 0);
            assert.equal(recorded.filter((bucket) => bucket === limitRequest.bucket).length, round);
        }
    });

    it('if it comes while the bucket is being rolled up', async () => {
        const limitRequest = newLimitRequest(10, randomUUID(), '{0}');
        await take(limitRequest);
        const store: RollUpStore = {
            rollUpPendingCounts: async () => 0,
            sweepPendingCounts: async () => {},
            recordRequests: async () => void (await take(limitRequest)),
        };
        await rollUp({ store, redis, shards: 1 });
        assert.deepEqual(await redis.smembers(limitRequest.awaitingRollUp), [limitRequest.bucket]);
    });
});
