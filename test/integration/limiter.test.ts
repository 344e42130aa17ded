import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Claim, limiter } from '../../gateway/limit.ts';
import { eraKey, keyBucket, unfoldedBuckets } from '../../platform/limit-record.ts';
import { MARK_MS, markKey } from '../../platform/marks.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { quiet } from '../context.ts';
import { testRedis } from '../test-redis.ts';

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
function newClaim(limit = 10): Required<Claim> {
    const id = randomUUID();
    const tag = `{${id}}`;
    return {
        tag,
        bucket: keyBucket(tag, id, id),
        mark: markKey(tag, 'key', id),
        unfolded: unfoldedBuckets(tag, id),
        limit,
        tier: 'pro',
    };
}

const refuse = (claim: Required<Claim>) => redis.set(claim.mark, 'R', 'PX', MARK_MS);
const now = () => performance.now();

describe('a key', () => {
    it('is unconfirmed until its owner was asked, and then good on every gateway', async () => {
        const claim = newClaim();
        const [one, other] = [await gateway(claim.tag), await gateway(claim.tag, 1)];
        assert.equal((await one.take(claim)).state, 'unconfirmed');
        assert.equal((await one.take(claim, now())).state, 'admitted');
        assert.deepEqual([(await other.take(claim)).state, (await one.take(claim)).remaining], ['admitted', 7]);
    });

    it('that is refused is not brought back by its owner’s earlier word, and counts nothing', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        const asked_at = now();
        await refuse(claim);
        assert.equal((await take(claim, asked_at)).state, 'refused');
        assert.equal((await take(claim)).state, 'refused');
        assert.equal(await redis.exists(claim.bucket), 0);
    });

    it('loses its live mark to a refusal', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        await take(claim, now());
        await refuse(claim);
        assert.equal((await take(claim)).state, 'refused');
    });

    it('is not confirmed by a word that was given too long ago', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        assert.equal((await take(claim, now() - 15_001)).state, 'unconfirmed');
        assert.equal(await redis.exists(claim.mark), 0);
    });

    it('keeps a live mark for a minute, and no call makes that longer', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        await take(claim, now());
        await redis.pexpire(claim.mark, 1_000);
        await take(claim);
        assert.ok((await redis.pttl(claim.mark)) <= 1_000);
    });
});

describe('when Redis has forgotten', () => {
    const forget = (claim: Required<Claim>) => redis.del(claim.mark, claim.bucket, eraKey(claim.tag));

    it('a refusal, a word from before it brings nothing back', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        const asked_at = now();
        await refuse(claim);
        await forget(claim);
        assert.equal((await take(claim, asked_at)).state, 'unconfirmed');
        assert.equal((await take(claim, asked_at)).state, 'unconfirmed', 'the new era is known by now');
        assert.equal((await take(claim, now())).state, 'admitted');
    });

    it('a refusal, a gateway that has only just connected does not take a word from before that', async () => {
        const claim = newClaim();
        const asked_at = now();
        const { take } = await gateway(claim.tag);
        assert.equal((await take(claim, asked_at)).state, 'unconfirmed');
        assert.equal((await take(claim, now())).state, 'admitted');
    });

    it('a refusal but not the live mark before it, that mark is void', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        await take(claim, now());
        await redis.del(eraKey(claim.tag));
        assert.equal((await take(claim)).state, 'unconfirmed');
    });

    it('a restarted Redis, which kept the era, begins another one', async () => {
        const claim = newClaim();
        const { take } = await gateway(claim.tag);
        await take(claim, now());
        const of_another_run = `${'0'.repeat(40)}:1.1`;
        await redis.set(eraKey(claim.tag), of_another_run);
        await redis.set(claim.mark, of_another_run, 'PX', MARK_MS);
        assert.equal((await take(claim)).state, 'unconfirmed');
        assert.notEqual(await redis.get(eraKey(claim.tag)), of_another_run);
    });

    it('a window, another limit’s worth is admitted, and no more', async () => {
        const claim = newClaim(3);
        const { take } = await gateway(claim.tag);
        const states = async (times: number) =>
            (await Promise.all(Array.from({ length: times }, () => take(claim, now())))).map(({ state }) => state);
        const worth = ['admitted', 'admitted', 'admitted', 'limited'];
        assert.deepEqual(await states(4), worth);
        await redis.del(claim.bucket);
        assert.deepEqual(await states(4), worth);
    });
});

describe('a window', () => {
    it('opens with its first call, ends where it began to, and is followed by a whole one', async () => {
        const claim = newClaim(2);
        const { take } = await gateway(claim.tag);
        const decisions = [];
        for (let call = 0; call < 4; call++) decisions.push(await take(claim, now()));
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
        await shiftWindow(claim, -WINDOW_MS);
        const { state, remaining, reset } = await take(claim);
        assert.deepEqual([state, remaining], ['admitted', 1]);
        assert.ok(reset >= (decisions[0]?.reset ?? 0));
    });

    it('of a clock that ran ahead keeps nobody waiting', async () => {
        const claim = newClaim(1);
        const { take } = await gateway(claim.tag);
        await take(claim, now());
        assert.equal((await take(claim)).state, 'limited');
        await shiftWindow(claim, 3_600_000);
        const { state, wait } = await take(claim);
        assert.equal(state, 'admitted');
        assert.ok(wait <= 60);
    });

    it('ends for two gateways at once, and none admits one call more around its edge', async () => {
        const window_ms = 300;
        const gateways = [newLimiter(window_ms), newLimiter(window_ms)];
        const claim = newClaim();
        const remaining: number[] = [];
        const began = now();
        let opened = 0;
        while (opened < 6) {
            const calls = gateways.flatMap(({ take }) => [1, 2, 3].map(() => take(claim, now())));
            for (const decision of await Promise.all(calls)) {
                if (decision.state === 'admitted') remaining.push(decision.remaining);
            }
            opened = remaining.filter((left) => left === claim.limit - 1).length;
        }
        assert.ok(
            opened <= 1 + Math.floor((now() - began) / window_ms),
            'a window began before the one before it ended',
        );
        for (let left = 0; left < claim.limit; left++) {
            const times = remaining.filter((one) => one === left).length;
            assert.ok(times <= opened, `${left} was left over ${times} times in ${opened} windows`);
        }
    });

    /** As if Redis' clock had been set meanwhile. */
    async function shiftWindow({ bucket }: Claim, by_ms: number): Promise<void> {
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
