import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { addressBucket, keyBucket } from '../../../platform/access/buckets.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { testLimiter, testRedis } from '../../support/test-redis.ts';
import { redisNow } from './redis-clock.ts';

const WINDOW_MS = 60_000;
/** Tolerance for a busy machine, in milliseconds. The tests themselves do not wait. */
const SLACK_MS = 30_000;

const redis = await testRedis();
const gateways = Array.from({ length: 5 }, () => testLimiter({ redis, windowMs: WINDOW_MS }));
const [first] = gateways as [(typeof gateways)[0]];
const { take } = first;

/** A limit request without a liveness mark. By default its account is the only one of its shard. */
function newLimitRequest(limit = 10, account: string = randomUUID(), tag = `{${account}}`) {
    return { tag, bucket: keyBucket(tag, account, randomUUID()), limit };
}

const times = <Result>(count: number, call: () => Promise<Result>) => Promise.all(Array.from({ length: count }, call));

/** The calls that the window in Redis has admitted, and its end. */
async function stored({ bucket }: { bucket: string }) {
    const packed = (await redis.getBuffer(bucket)) ?? assert.fail('there is no window');
    assert.equal(packed.length, 16);
    return { end: packed.readDoubleLE(0), admitted: packed.readDoubleLE(8) };
}

describe('a window', () => {
    it('is kept until its end, and refused calls leave it as it is', async () => {
        const ofAccount = newLimitRequest(2);
        const tag = `{${randomUUID()}}`;
        const ofAddress = { tag, bucket: addressBucket(tag, 'calls', '203.0.113.1'), limit: 2 };
        for (const limitRequest of [ofAccount, ofAddress]) {
            const began = await redisNow(redis);
            await take(limitRequest);
            const opened = await stored(limitRequest);
            assert.ok(opened.end >= began + WINDOW_MS && opened.end <= (await redisNow(redis)) + WINDOW_MS);
            await times(3, () => take(limitRequest));
            assert.deepEqual(await stored(limitRequest), { end: opened.end, admitted: 2 });
            const leftMs = await redis.pttl(limitRequest.bucket);
            assert.ok(leftMs <= WINDOW_MS && leftMs > WINDOW_MS - SLACK_MS, `${leftMs} ms`);
        }
    });

    it('is not opened by a call that weighs nothing, which sees what is left of it', async () => {
        const limitRequest = newLimitRequest(2);
        const look = async () => {
            const { state, remaining } = await take({ ...limitRequest, weight: 0 });
            return [state, remaining];
        };
        assert.deepEqual(await look(), ['admitted', 2]);
        assert.equal(await redis.exists(limitRequest.bucket), 0);
        await times(2, () => take(limitRequest));
        assert.deepEqual(await look(), ['admitted', 0]);
        assert.equal((await stored(limitRequest)).admitted, 2);
    });

    it('gets back what a negative weight returns, but never more than was counted', async () => {
        const limitRequest = newLimitRequest(2);
        const giveBack = async () => (await take({ ...limitRequest, weight: -1 })).remaining;
        assert.equal(await giveBack(), 2);
        assert.equal(await redis.exists(limitRequest.bucket), 0, 'it opens no window');
        await times(2, () => take(limitRequest));
        const { end } = await stored(limitRequest);
        assert.deepEqual([await giveBack(), await giveBack(), await giveBack()], [1, 2, 2]);
        assert.deepEqual(await stored(limitRequest), { end, admitted: 0 });
        assert.equal((await take(limitRequest)).remaining, 1);
    });
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

    it('use separate buckets and liveness marks for each account', async () => {
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

describe('a call with a weight', () => {
    it('is admitted with all of its weight or not at all, and a refusal takes nothing', async () => {
        const request = newLimitRequest(10);
        const take = async (weight: number) => {
            const { state, remaining } = await first.take({ ...request, weight });
            return [state, remaining];
        };
        assert.deepEqual(await take(7), ['admitted', 3]);
        assert.deepEqual(await take(4), ['limited', 3]);
        assert.deepEqual(await take(3), ['admitted', 0]);
        assert.deepEqual(await take(1), ['limited', 0]);
    });

    it('is counted exactly when five gateways count calls of all weights at the same time', async () => {
        for (const limit of [10, 600, 10_000]) {
            const request = newLimitRequest(limit);
            const calls = Array.from({ length: 400 }, () => ({
                ...request,
                weight: randomInt(4) === 0 ? randomInt(2, Math.min(limit, 1_000) + 1) : 1,
            }));
            const decisions = await Promise.all(
                calls.map((call, index) => (gateways[index % gateways.length] ?? first).take(call)),
            );
            const admitted = calls.filter((_, index) => decisions[index]?.state === 'admitted');
            const total = admitted.reduce((sum, { weight }) => sum + weight, 0);
            assert.ok(total <= limit, `${total} of ${limit}`);
            const { remaining } = await first.take({ ...request, weight: 0 });
            assert.equal(remaining, limit - total);
            const after = await first.take(request);
            assert.equal(after.state, total < limit ? 'admitted' : 'limited');
            assert.equal(after.remaining, Math.max(limit - total - 1, 0));
        }
    });
});
