import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { addressBucket, epochKey, keyBucket } from '../../../platform/access/buckets.ts';
import type { LimitRequest } from '../../../platform/access/limit-decision.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { confirmedAt, testLimiter, testRedis } from '../../support/test-redis.ts';

const redis = await testRedis();
const WINDOW_MS = 60_000;

const newLimiter = (windowMs = WINDOW_MS) => testLimiter({ redis, shards: 1, windowMs });
const limiters = [newLimiter(), newLimiter()] as const;

/** The limiter of a gateway that has already made a call in the shard, so that it knows the epoch. */
async function gateway(tag: string, which: 0 | 1 = 0) {
    const { take } = limiters[which];
    await take({ tag, bucket: `window:${tag}:warm:${randomUUID()}`, limit: 1 });
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
        version: 0,
        limit,
        weight: 1,
        tier: 'pro',
    };
}

const refuse = (limitRequest: Required<LimitRequest>) => redis.set(limitRequest.mark, 'R', 'PX', LIVENESS_MARK_MS);
const now = () => performance.now();

describe('a key', () => {
    it('is unconfirmed until the owning service has confirmed it, and is then admitted on every gateway', async () => {
        const limitRequest = newLimitRequest();
        const [one, other] = [await gateway(limitRequest.tag), await gateway(limitRequest.tag, 1)];
        assert.equal((await one.take(limitRequest)).state, 'unconfirmed');
        assert.equal((await one.take(limitRequest, confirmedAt(now()))).state, 'admitted');
        assert.deepEqual(
            [(await other.take(limitRequest)).state, (await one.take(limitRequest)).remaining],
            ['admitted', 7],
        );
    });

    it('that was revoked stays refused despite an earlier confirmation, and its calls are not counted', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        const askedAt = now();
        await refuse(limitRequest);
        assert.equal((await take(limitRequest, confirmedAt(askedAt))).state, 'refused');
        assert.equal((await take(limitRequest)).state, 'refused');
        assert.equal(await redis.exists(limitRequest.bucket), 0);
    });

    it('loses its live mark when it is revoked', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, confirmedAt(now()));
        await refuse(limitRequest);
        assert.equal((await take(limitRequest)).state, 'refused');
    });

    it('stays unconfirmed if the confirmation is too old', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        assert.equal((await take(limitRequest, confirmedAt(now() - 15_001))).state, 'unconfirmed');
        assert.equal(await redis.exists(limitRequest.mark), 0);
    });

    it('keeps its live mark for a minute, and calls do not extend that', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, confirmedAt(now()));
        await redis.pexpire(limitRequest.mark, 1_000);
        await take(limitRequest);
        assert.ok((await redis.pttl(limitRequest.mark)) <= 1_000);
    });
});

describe('after Redis has lost data or restarted', () => {
    const forget = (limitRequest: Required<LimitRequest>) =>
        redis.del(limitRequest.mark, limitRequest.bucket, epochKey(limitRequest.tag));

    it('a confirmation from before the loss does not revive a revoked key', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        const askedAt = now();
        await refuse(limitRequest);
        await forget(limitRequest);
        assert.equal((await take(limitRequest, confirmedAt(askedAt))).state, 'unconfirmed');
        assert.equal(
            (await take(limitRequest, confirmedAt(askedAt))).state,
            'unconfirmed',
            'the gateway knows the new epoch by now',
        );
        assert.equal((await take(limitRequest, confirmedAt(now()))).state, 'admitted');
    });

    it('a gateway that has just connected does not accept a confirmation from before that', async () => {
        const limitRequest = newLimitRequest();
        const askedAt = now();
        const { take } = await gateway(limitRequest.tag);
        assert.equal((await take(limitRequest, confirmedAt(askedAt))).state, 'unconfirmed');
        assert.equal((await take(limitRequest, confirmedAt(now()))).state, 'admitted');
    });

    it('a live mark of an earlier epoch is void', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, confirmedAt(now()));
        await redis.del(epochKey(limitRequest.tag));
        assert.equal((await take(limitRequest)).state, 'unconfirmed');
    });

    it('a restarted Redis that kept its epoch begins a new one', async () => {
        const limitRequest = newLimitRequest();
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, confirmedAt(now()));
        const ofAnotherRun = `${'0'.repeat(40)}:1.1`;
        await redis.set(epochKey(limitRequest.tag), ofAnotherRun);
        await redis.set(limitRequest.mark, ofAnotherRun, 'PX', LIVENESS_MARK_MS);
        assert.equal((await take(limitRequest)).state, 'unconfirmed');
        assert.notEqual(await redis.get(epochKey(limitRequest.tag)), ofAnotherRun);
    });

    it('a bucket whose window was lost admits calls up to its limit once more', async () => {
        const limitRequest = newLimitRequest(3);
        const { take } = await gateway(limitRequest.tag);
        const states = async (times: number) =>
            (await Promise.all(Array.from({ length: times }, () => take(limitRequest, confirmedAt(now()))))).map(
                ({ state }) => state,
            );
        const worth = ['admitted', 'admitted', 'admitted', 'limited'];
        assert.deepEqual(await states(4), worth);
        await redis.del(limitRequest.bucket);
        assert.deepEqual(await states(4), worth);
    });
});

describe('a window', () => {
    it('opens with its first call, keeps its end, and is followed by a full window', async () => {
        const limitRequest = newLimitRequest(2);
        const { take } = await gateway(limitRequest.tag);
        const decisions = [];
        for (let call = 0; call < 4; call++) decisions.push(await take(limitRequest, confirmedAt(now())));
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

    it('that was opened by a clock running ahead makes no call wait', async () => {
        const limitRequest = newLimitRequest(1);
        const { take } = await gateway(limitRequest.tag);
        await take(limitRequest, confirmedAt(now()));
        assert.equal((await take(limitRequest)).state, 'limited');
        await shiftWindow(limitRequest, 3_600_000);
        const { state, wait } = await take(limitRequest);
        assert.equal(state, 'admitted');
        assert.ok(wait <= 60);
    });

    it('ends at the same time for two gateways, and neither admits an extra call at its end', async () => {
        const windowMs = 300;
        const gateways = [newLimiter(windowMs), newLimiter(windowMs)];
        const limitRequest = newLimitRequest();
        const remaining: number[] = [];
        const began = now();
        let opened = 0;
        while (opened < 6) {
            const calls = gateways.flatMap(({ take }) => [1, 2, 3].map(() => take(limitRequest, confirmedAt(now()))));
            for (const decision of await Promise.all(calls)) {
                if (decision.state === 'admitted') remaining.push(decision.remaining);
            }
            opened = remaining.filter((left) => left === limitRequest.limit - 1).length;
        }
        assert.ok(opened <= 1 + Math.floor((now() - began) / windowMs), 'a window began before the previous one ended');
        for (let left = 0; left < limitRequest.limit; left++) {
            const times = remaining.filter((one) => one === left).length;
            assert.ok(times <= opened, `${left} remaining calls were reported ${times} times in ${opened} windows`);
        }
    });

    /** Moves the end of the window, as if Redis' clock had been set in the meantime. */
    async function shiftWindow({ bucket }: LimitRequest, byMs: number): Promise<void> {
        const packed = await redis.getBuffer(bucket);
        assert.ok(packed);
        packed.writeDoubleLE(packed.readDoubleLE(0) + byMs, 0);
        await redis.set(bucket, packed, 'KEEPTTL');
    }
});

it('the window of an address expires at the end of its window', async () => {
    const tag = `{${randomUUID()}}`;
    const { take } = await gateway(tag);
    const bucket = addressBucket(tag, 'calls', '203.0.113.1');
    assert.equal((await take({ tag, bucket, limit: 5 })).state, 'admitted');
    const left = await redis.pttl(bucket);
    assert.ok(left > 0 && left <= WINDOW_MS);
});
