import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { epochKey, keyBucket } from '../../../platform/access/buckets.ts';
import { limiter } from '../../../platform/access/limiter.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet } from '../../support/context.ts';
import { confirmedAt, testRedis } from '../../support/test-redis.ts';

const WINDOW_MS = 60_000;
/** Tolerance for a busy machine, in milliseconds. The tests themselves do not wait. */
const SLACK_MS = 30_000;

const redis = await testRedis();
const { take } = limiter({ redis, shards: 1, windowMs: WINDOW_MS, log: quiet, metrics: createMetrics() });

/** A bucket in a shard of its own. */
function newLimitRequest() {
    const account = randomUUID();
    const tag = `{${account}}`;
    return { tag, bucket: keyBucket(tag, account, randomUUID()), limit: 10 };
}

describe('a live mark', () => {
    it('is set only by a confirmation of the last 15 seconds, asked for after the gateway knew the epoch', async (t) => {
        const clock = { now: performance.now() };
        t.mock.method(performance, 'now', () => clock.now);
        const limitRequest = newLimitRequest();
        const stateBy = async (askedAt: number) => {
            const marked = { ...limitRequest, mark: livenessMarkKey(limitRequest.tag, 'key', randomUUID()) };
            return (await take(marked, confirmedAt(askedAt))).state;
        };
        await take(limitRequest); // from now on this limiter knows the epoch
        const knownSince = clock.now;
        assert.deepEqual([await stateBy(knownSince - 1), await stateBy(knownSince)], ['unconfirmed', 'admitted']);
        clock.now += 60_000;
        assert.equal(await stateBy(clock.now - 15_000), 'unconfirmed');
        assert.equal(await stateBy(clock.now - 14_999), 'admitted');
    });

    it('lasts a minute from the confirmation', async () => {
        const limitRequest = newLimitRequest();
        const marked = { ...limitRequest, mark: livenessMarkKey(limitRequest.tag, 'key', randomUUID()) };
        await take(marked); // from now on this limiter knows the epoch
        assert.equal((await take(marked, confirmedAt(performance.now()))).state, 'admitted');
        const leftMs = await redis.pttl(marked.mark);
        assert.ok(leftMs <= LIVENESS_MARK_MS && leftMs > LIVENESS_MARK_MS - SLACK_MS, `${leftMs} ms`);
    });
});

describe('an epoch of Redis’ memory', () => {
    it('is named after the run of Redis and the time, and stays the same for all gateways', async () => {
        const limitRequest = newLimitRequest();
        const others = limiter({ redis, shards: 1, windowMs: WINDOW_MS, log: quiet, metrics: createMetrics() });
        await take(limitRequest);
        const epoch = await redis.get(epochKey(limitRequest.tag));
        const runId = /run_id:(\w+)/.exec(await redis.info('server'))?.[1];
        assert.match(epoch ?? '', new RegExp(`^${runId}:\\d+\\.\\d+$`));
        await others.take(limitRequest);
        await take(limitRequest);
        assert.equal(await redis.get(epochKey(limitRequest.tag)), epoch);
        assert.equal(await redis.pttl(epochKey(limitRequest.tag)), -1);
    });
});
