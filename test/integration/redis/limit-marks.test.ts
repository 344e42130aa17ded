import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { limiter } from '../../../gateway/admission/limit.ts';
import { epochKey, keyBucket } from '../../../platform/access/limit-record.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet } from '../../support/context.ts';
import { testRedis } from '../../support/test-redis.ts';

const WINDOW_MS = 60_000;
/** Tests wait for no time, but a busy machine lets some pass. */
const SLACK_MS = 30_000;

const redis = await testRedis();
const { take } = limiter({ redis, shards: 1, window_ms: WINDOW_MS, log: quiet, metrics: createMetrics() });

/** A bucket in a shard of its own. */
function newLimitRequest() {
    const account = randomUUID();
    const tag = `{${account}}`;
    return { tag, bucket: keyBucket(tag, account, randomUUID()), limit: 10 };
}

describe('a live mark', () => {
    it('is set by a word of the last 15 seconds alone, of a caller that has known the era for longer', async (t) => {
        const clock = { now: performance.now() };
        t.mock.method(performance, 'now', () => clock.now);
        const limitRequest = newLimitRequest();
        const stateBy = async (asked_at: number) => {
            const marked = { ...limitRequest, mark: livenessMarkKey(limitRequest.tag, 'key', randomUUID()) };
            return (await take(marked, asked_at)).state;
        };
        await take(limitRequest); // from now on the era is known here
        const known_since = clock.now;
        assert.deepEqual([await stateBy(known_since - 1), await stateBy(known_since)], ['unconfirmed', 'admitted']);
        clock.now += 60_000;
        assert.equal(await stateBy(clock.now - 15_000), 'unconfirmed');
        assert.equal(await stateBy(clock.now - 14_999), 'admitted');
    });

    it('lasts a minute from the owner’s word on', async () => {
        const limitRequest = newLimitRequest();
        const marked = { ...limitRequest, mark: livenessMarkKey(limitRequest.tag, 'key', randomUUID()) };
        await take(marked); // from now on the era is known here
        assert.equal((await take(marked, performance.now())).state, 'admitted');
        const left_ms = await redis.pttl(marked.mark);
        assert.ok(left_ms <= LIVENESS_MARK_MS && left_ms > LIVENESS_MARK_MS - SLACK_MS, `${left_ms} ms`);
    });
});

describe('an era of Redis’ memory', () => {
    it('is named after the run of Redis and the time, and stays the same for all gateways', async () => {
        const limitRequest = newLimitRequest();
        const others = limiter({ redis, shards: 1, window_ms: WINDOW_MS, log: quiet, metrics: createMetrics() });
        await take(limitRequest);
        const epoch = await redis.get(epochKey(limitRequest.tag));
        const run_id = /run_id:(\w+)/.exec(await redis.info('server'))?.[1];
        assert.match(epoch ?? '', new RegExp(`^${run_id}:\\d+\\.\\d+$`));
        await others.take(limitRequest);
        await take(limitRequest);
        assert.equal(await redis.get(epochKey(limitRequest.tag)), epoch);
        assert.equal(await redis.pttl(epochKey(limitRequest.tag)), -1);
    });
});
