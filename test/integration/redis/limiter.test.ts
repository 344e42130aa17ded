import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { limiter } from '../../../gateway/admission/limit.ts';
import type { LimitRequest } from '../../../gateway/admission/limit-decision.ts';
import { bucketsAwaitingRollUp, epochKey, keyBucket } from '../../../platform/access/limit-record.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet } from '../../support/context.ts';
import { testRedis } from '../../support/test-redis.ts';

const redis = await testRedis();
const WINDOW_MS = 60_000;

const newLimiter = (window_ms = WINDOW_MS) =>
    limiter({ redis, shards: 1, window_ms, log: quiet, metrics: createMetrics() });
const limiters = [newLimiter(), newLimiter()] as const;

/** A gateway's limiter that has been at work in the shard: it knows the era of its memory. */
async function gateway(tag: string, which: 0 | 1 = 0) {
    const { take } = limiters[which];
    await take({ tag, bucket: `limit:${tag}:warm:${randomUUID()}`, limit: 1 });
    return { take };
}

/** One key in a shard of its own. */
function newLimitRequest(limit = 10): Required<LimitRequest> {
    const id = randomUUID();
    const tag = `{${id}}`;
    return {
        tag,
        bucket: keyBucket(tag, id, id),
        mark: livenessMarkKey(tag, 'key', id),
        awaitingRollUp: bucketsAwaitingRollUp(tag, id),
        limit,
        tier: 'pro',
    };
}

const refuse = (limitRequest: Required<LimitRequest>) => redis.set(limitRequest.mark, 'R', 'PX', LIVENESS_MARK_MS);
const now = () => performance.now();

describe('a key', () => {
    it('is unconfirmed until its owner was asked, and then good on every gateway', async () => {
        const limitRequest = newLimitRequest();
        const [one, other] = [await gateway(limitRequest.tag), await gateway(limitRequest.tag, 1)];
        assert.equal((await one.take(limitRequest)).state, 'unconfirmed');
        assert.equal((await one.take(limitRequest, now())).state, 'admitted');
        assert.deepEqual(
            [(await other.take(limitRequest)).state, (await one.take(limitRequest)).remaining],
            ['admitted', 7],
        );
    });

    it('that is refused is not brought back by its owner’s earlier word, and counts nothing', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        const asked_at = now();
        await refuse(limitRequest);
        assert.equal((await take(limitRequest, asked_at)).state, 'refused');
        assert.equal((await take(limitRequest)).state, 'refused');
        assert.equal(await redis.exists(limitRequest.bucket), 0);
    });

    it('loses its live mark to a refusal', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, now());
        await refuse(limitRequest);
        assert.equal((await take(limitRequest)).state, 'refused');
    });

    it('is not confirmed by a word that was given too long ago', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        assert.equal((await take(limitRequest, now() - 15_001)).state, 'unconfirmed');
        assert.equal(await redis.exists(limitRequest.mark), 0);
    });

    it('keeps a live mark for a minute, and no call makes that longer', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, now());
        await redis.pexpire(limitRequest.mark, 1_000);
        await take(limitRequest);
        assert.ok((await redis.pttl(limitRequest.mark)) <= 1_000);
    });
});

describe('when Redis has forgotten', () => {
    const forget = (limitRequest: Required<LimitRequest>) =>
        redis.del(limitRequest.mark, limitRequest.bucket, epochKey(limitRequest.tag));

    it('a refusal, a word from before it brings nothing back', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        const asked_at = now();
        await refuse(limitRequest);
        await forget(limitRequest);
        assert.equal((await take(limitRequest, asked_at)).state, 'unconfirmed');
        assert.equal((await take(limitRequest, asked_at)).state, 'unconfirmed', 'the new era is known by now');
        assert.equal((await take(limitRequest, now())).state, 'admitted');
    });

    it('a refusal, a gateway that has only just connected does not take a word from before that', async () => {
        const limitRequest = newLimitRequest();
        const asked_at = now();
        const { take } = await gateway(limitRequest.tag);
        assert.equal((await take(limitRequest, asked_at)).state, 'unconfirmed');
        assert.equal((await take(limitRequest, now())).state, 'admitted');
    });

    it('a refusal but not the live mark before it, that mark is void', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, now());
        await redis.del(epochKey(limitRequest.tag));
        assert.equal((await take(limitRequest)).state, 'unconfirmed');
    });

    it('a restarted Redis, which kept the era, begins another one', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, now());
        const of_another_run = `${'0'.repeat(40)}:1.1`;
        await redis.set(epochKey(limitRequest.tag), of_another_run);
        await redis.set(limitRequest.mark, of_another_run, 'PX', LIVENESS_MARK_MS);
        assert.equal((await take(limitRequest)).state, 'unconfirmed');
        assert.notEqual(await redis.get(epochKey(limitRequest.tag)), of_another_run);
    });

    it('a window, another limit’s worth is admitted, and no more', async () => {
        const limitRequest = newLimitRequest(3);
        const { take } = await gateway(limitRequest.tag);
        const states = async (times: number) =>
            (await Promise.all(Array.from({ length: times }, () => take(limitRequest, now())))).map(
                ({ state }) => state,
            );
        const worth = ['admitted', 'admitted', 'admitted', 'limited'];
        assert.deepEqual(await states(4), worth);
        await redis.del(limitRequest.bucket);
        assert.deepEqual(await states(4), worth);
    });
});

describe('a window', () => {
    it('opens with its first call, ends where it began to, and is followed by a whole one', async () => {
        const limitRequest = newLimitRequest(2);
        const { take } = await gateway(limitRequest.tag);
        const decisions = [];
        for (let call = 0; call < 4; call++) decisions.push(await take(limitRequest, now()));
        assert.deepEqual(
            decisions.map(({ state, remaining }) => [state, remaining]),
            [
                ['admitted', 1],
                ['admitted', 0],
                ['limited', 0],
                ['limited', 0],
            ],
        );
        assert.equal(new Set(decisions.map(({ reset }) => reset)).size, 1);
        await shiftWindow(limitRequest, -WINDOW_MS);
        const { state, remaining, reset } = await take(limitRequest);
        assert.deepEqual([state, remaining], ['admitted', 1]);
        assert.ok(reset >= (decisions[0]?.reset ?? 0));
    });

    it('of a clock that ran ahead keeps nobody waiting', async () => {
        const limitRequest = newLimitRequest(1);
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, now());
        assert.equal((await take(limitRequest)).state, 'limited');
        await shiftWindow(limitRequest, 3_600_000);
        const { state, wait } = await take(limitRequest);
        assert.equal(state, 'admitted');
        assert.ok(wait <= 60);
    });

    it('ends for two gateways at once, and none admits one call more around its edge', async () => {
        const window_ms = 300;
        const gateways = [newLimiter(window_ms), newLimiter(window_ms)];
        const limitRequest = newLimitRequest();
        const remaining: number[] = [];
        const began = now();
        let opened = 0;
        while (opened < 6) {
            const calls = gateways.flatMap(({ take }) => [1, 2, 3].map(() => take(limitRequest, now())));
            for (const decision of await Promise.all(calls)) {
                if (decision.state === 'admitted') remaining.push(decision.remaining);
            }
            opened = remaining.filter((left) => left === limitRequest.limit - 1).length;
        }
        assert.ok(
            opened <= 1 + Math.floor((now() - began) / window_ms),
            'a window began before the one before it ended',
        );
        for (let left = 0; left < limitRequest.limit; left++) {
            const times = remaining.filter((one) => one === left).length;
            assert.ok(times <= opened, `${left} was left over ${times} times in ${opened} windows`);
        }
    });

    /** As if Redis' clock had been set meanwhile. */
    async function shiftWindow({ bucket }: LimitRequest, by_ms: number): Promise<void> {
        const packed = await redis.getBuffer(bucket);
        assert.ok(packed);
        packed.writeDoubleLE(packed.readDoubleLE(8) + by_ms, 8);
        await redis.set(bucket, packed, 'KEEPTTL');
    }
});

it('what is kept of addresses goes away with its window', async () => {
    const tag = `{${randomUUID()}}`;
    const { take } = await gateway(tag);
    const bucket = `limit:${tag}:address:203.0.113.1`;
    assert.equal((await take({ tag, bucket, limit: 5 })).state, 'admitted');
    const left = await redis.pttl(bucket);
    assert.ok(left > 0 && left <= WINDOW_MS);
});
