import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { limiter } from '../../../gateway/admission/limit.ts';
import type { LimitRequest } from '../../../gateway/admission/limit-decision.ts';
import {
    accountsAwaitingRollUp,
    bucketsAwaitingRollUp,
    DAY_MS,
    decodeLimitRecord,
    keyBucket,
} from '../../../platform/access/limit-record.ts';
import { LIVENESS_MARK_MS, livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import type { FoldStore } from '../../../workers/usage/fold.store.ts';
import { rollUp } from '../../../workers/usage/fold.ts';
import { quiet } from '../../support/context.ts';
import { testRedis } from '../../support/test-redis.ts';
import { ageRecord } from '../services/ageing.ts';

const WINDOW_MS = 60_000;
/** Tests wait for no time, but a busy machine lets some pass. */
const SLACK_MS = 30_000;

const redis = await testRedis();
const { take, countVerified } = limiter({
    redis,
    shards: 1,
    window_ms: WINDOW_MS,
    log: quiet,
    metrics: createMetrics(),
});

/** A bucket of an account in a shard of its own, of nothing that can be revoked. */
function newLimitRequest(
    limit = 10,
    account: string = randomUUID(),
    tag = `{${account}}`,
): Omit<Required<LimitRequest>, 'mark'> {
    const bucket = keyBucket(tag, account, randomUUID());
    return { tag, bucket, awaitingRollUp: bucketsAwaitingRollUp(tag, account), limit, tier: 'pro' };
}

const times = <Result>(count: number, call: () => Promise<Result>) => Promise.all(Array.from({ length: count }, call));

async function recordOf({ bucket }: Pick<LimitRequest, 'bucket'>) {
    const packed = await redis.getBuffer(bucket);
    assert.ok(packed, 'there is a record');
    return decodeLimitRecord(packed);
}

async function redisNow(): Promise<number> {
    const [seconds, microseconds] = (await redis.time()) as Array<number | string>;
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** Runs `check` with the day of Redis' clock, again where midnight came in between. */
async function onOneDay(check: (day: number) => Promise<void>): Promise<void> {
    const dayNow = async () => Math.floor((await redisNow()) / DAY_MS);
    const day = await dayNow();
    try {
        await check(day);
    } catch (error) {
        if (day === (await dayNow())) throw error;
        await check(day + 1);
    }
}

describe('the record of a bucket', () => {
    it('tells when it was begun and last used, and counts what was admitted and what was refused', () =>
        onOneDay(async (day) => {
            const limitRequest = newLimitRequest(2);
            const began = await redisNow();
            await times(5, () => take(limitRequest));
            const { life, last_used, days } = await recordOf(limitRequest);
            const now = await redisNow();
            assert.ok(life >= began && life <= now, `${began} ${life} ${now}`);
            assert.ok(last_used >= began && last_used <= now);
            assert.deepEqual(days, [{ day, requests: 2, refused: 3, verified: 0 }]);
        }));

    it('keeps its life, and the time of its last use where a call is refused', async () => {
        const limitRequest = newLimitRequest(1);
        await take(limitRequest);
        const before = await recordOf(limitRequest);
        while ((await redisNow()) <= before.last_used);
        assert.equal((await take(limitRequest)).state, 'limited');
        const { life, last_used } = await recordOf(limitRequest);
        assert.deepEqual([life, last_used], [before.life, before.last_used]);
    });

    it('counts verified presentations beside the calls, against no limit and as no use', () =>
        onOneDay(async (day) => {
            const limitRequest = newLimitRequest(1);
            await times(3, () => countVerified(limitRequest));
            const { last_used, days } = await recordOf(limitRequest);
            assert.equal(last_used, 0);
            assert.deepEqual(days, [{ day, requests: 0, refused: 0, verified: 3 }]);
            assert.equal((await take(limitRequest)).state, 'admitted');
        }));

    it('is kept for two days, and that of an address for its window', async () => {
        const limitRequest = newLimitRequest();
        await take(limitRequest);
        const kept_ms = await redis.pttl(limitRequest.bucket);
        assert.ok(kept_ms <= 2 * DAY_MS && kept_ms > 2 * DAY_MS - SLACK_MS, `${kept_ms} ms`);
        const { awaitingRollUp: _, ...of_address } = newLimitRequest(1);
        await times(2, () => take(of_address));
        const left_ms = await redis.pttl(of_address.bucket);
        assert.ok(left_ms <= WINDOW_MS && left_ms > WINDOW_MS - SLACK_MS, `${left_ms} ms`);
        assert.equal(await redis.exists(accountsAwaitingRollUp(of_address.tag)), 0);
    });
});

describe('when a day is over', () => {
    it('its counts stay beside those of the next one', () =>
        onOneDay(async (day) => {
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
            assert.equal((await recordOf(limitRequest)).days[0]?.requests, 2, 'which go on as the day does');
        }));
});

describe('calls that are decided together', () => {
    it('count in one window of their bucket, one after the other', async () => {
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

    it('keep the buckets, marks and sets of several accounts apart', async () => {
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

    it('have none left where the limit has become lower than what was admitted', async () => {
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
        it(`because it is ${state} has nothing left, for a window from now on`, async () => {
            const limitRequest = newLimitRequest();
            const marked = { ...limitRequest, mark: livenessMarkKey(limitRequest.tag, 'key', randomUUID()) };
            if (mark) await redis.set(marked.mark, mark, 'PX', LIVENESS_MARK_MS);
            const now = await redisNow();
            const decision = await take(marked);
            assert.deepEqual([decision.state, decision.remaining, decision.wait], [state, 0, WINDOW_MS / 1_000]);
            assert.ok(decision.reset * 1_000 >= now + WINDOW_MS);
            assert.ok(decision.reset * 1_000 <= now + WINDOW_MS + SLACK_MS);
            assert.equal(await redis.exists(limitRequest.bucket), 0);
        });
    }
});

describe('what is to be folded', () => {
    it('is told again by the next call after it has been folded', async () => {
        const limitRequest = newLimitRequest(10, randomUUID(), '{0}'); // the one shard that is folded below
        const recorded: string[] = [];
        const store: FoldStore = {
            foldDeltas: async () => 0,
            sweepDeltas: async () => {},
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

    it('waits for the next time where it was counted in while it was being folded', async () => {
        const limitRequest = newLimitRequest(10, randomUUID(), '{0}');
        await take(limitRequest);
        const store: FoldStore = {
            foldDeltas: async () => 0,
            sweepDeltas: async () => {},
            recordRequests: async () => void (await take(limitRequest)),
        };
        await rollUp({ store, redis, shards: 1 });
        assert.deepEqual(await redis.smembers(limitRequest.awaitingRollUp), [limitRequest.bucket]);
    });
});
