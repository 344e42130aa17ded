import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { bucketsAwaitingRollUp, decodeLimitRecord, keyBucket } from '../../../platform/access/limit-record.ts';
import { limiter } from '../../../platform/access/limiter.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet } from '../../support/context.ts';
import { testRedis } from '../../support/test-redis.ts';

const redis = await testRedis();
const gateways = Array.from({ length: 5 }, () =>
    limiter({ redis, shards: 1, windowMs: 60_000, log: quiet, metrics: createMetrics() }),
);

/** A bucket in a shard of its own. */
function newBucket(limit: number) {
    const id = randomUUID();
    const tag = `{${id}}`;
    return { tag, bucket: keyBucket(tag, id, id), awaitingRollUp: bucketsAwaitingRollUp(tag, id), limit };
}

const [first] = gateways as [(typeof gateways)[0]];

async function today(bucket: string) {
    const packed = await redis.getBuffer(bucket);
    return decodeLimitRecord(packed ?? assert.fail('the bucket has no record')).days[0];
}

describe('a call with a weight', () => {
    it('is admitted with all of its weight or not at all, and a refusal takes nothing', async () => {
        const request = newBucket(10);
        const take = async (weight: number) => {
            const { state, remaining } = await first.take({ ...request, weight });
            return [state, remaining];
        };
        assert.deepEqual(await take(7), ['admitted', 3]);
        assert.deepEqual(await take(4), ['limited', 3]);
        assert.deepEqual(await take(3), ['admitted', 0]);
        assert.deepEqual(await take(1), ['limited', 0]);
    });

    it('counts as that many requests, and a refusal as one', async () => {
        const request = newBucket(10);
        for (const weight of [8, 5, 2]) await first.take({ ...request, weight });
        const { requests, refused } = (await today(request.bucket)) ?? assert.fail('the record has no day');
        assert.deepEqual({ requests, refused }, { requests: 10, refused: 1 });
    });

    it('is counted exactly when five gateways count calls of all weights at the same time', async () => {
        for (const limit of [10, 600, 10_000]) {
            const request = newBucket(limit);
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
            assert.equal((await today(request.bucket))?.requests, total);
            assert.equal((await today(request.bucket))?.refused, calls.length - admitted.length);
            const after = await first.take(request);
            assert.equal(after.state, total < limit ? 'admitted' : 'limited');
            assert.equal(after.remaining, Math.max(limit - total - 1, 0));
        }
    });
});
