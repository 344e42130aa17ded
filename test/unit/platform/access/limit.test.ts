import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { decisionOf, limitExceeded } from '../../../../platform/access/limit-decision.ts';
import { limiter } from '../../../../platform/access/limiter.ts';
import { openRedis, shardTag } from '../../../../platform/redis/redis.ts';
import type { Log } from '../../../../platform/telemetry/log.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet } from '../../../support/context.ts';

const CLAIM = { tag: '{0}', bucket: 'window:{0}:a', limit: 2, tier: 'pro' };
const UNREACHABLE = { state: 'unreachable', limit: 2, remaining: 0, window: 60, reset: 0, wait: 0 };

/** A limiter without a running Redis, and its warnings. */
function withoutRedis(t: TestContext) {
    const redis = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
    t.after(() => redis.disconnect());
    const warnings: string[] = [];
    // The limiter uses nothing else of the log.
    const log = { warn: (_fields: unknown, text: string) => warnings.push(text) } as unknown as Log;
    const metrics = createMetrics();
    return { ...limiter({ redis, shards: 4, windowMs: 60_000, log, metrics }), warnings, metrics };
}

describe('without Redis', () => {
    it('the limiter decides nothing, and does not call Redis for half a second', async (t) => {
        const clock = { now: 1_000 };
        t.mock.method(performance, 'now', () => clock.now);
        const { take, warnings } = withoutRedis(t);
        assert.deepEqual(await take(CLAIM), UNREACHABLE);
        clock.now += 499;
        assert.deepEqual(await take(CLAIM), UNREACHABLE);
        assert.deepEqual(warnings, ['rate limiter: Redis does not answer, this process decides alone']);
        clock.now += 1;
        await take(CLAIM);
        assert.equal(warnings.length, 2);
    });

    it('a call beyond the queue is refused', async (t) => {
        const { take, warnings } = withoutRedis(t);
        const calls = Array.from({ length: 256 + 16_384 + 1 }, () => take(CLAIM)); // the first 256 leave at once
        const outcomes = await Promise.allSettled(calls);
        const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
        assert.deepEqual(
            refused.map(({ kind }) => kind),
            ['unavailable'],
        );
        assert.ok(warnings.length > 0);
    });

    it('the metrics count unreachable decisions by tier, and show each outcome from the start', async (t) => {
        const { take, metrics } = withoutRedis(t);
        const counts = async () => (await metrics.expose()).text.match(/^rate_limit_decisions_total.*$/gm);
        const line = (state: string, tier: string, count: number) =>
            `rate_limit_decisions_total{state="${state}",tier="${tier}"} ${count}`;
        const none = ['admitted', 'limited', 'refused', 'unconfirmed', 'unreachable'].map((state) =>
            line(state, 'none', 0),
        );
        assert.deepEqual(await counts(), none);
        await take(CLAIM);
        const { tier: _, ...ofAddress } = CLAIM;
        await take(ofAddress);
        for (const weight of [0, -1]) await take({ ...CLAIM, weight }); // these are no calls
        assert.deepEqual(await counts(), [
            ...none.slice(0, 4),
            line('unreachable', 'none', 1),
            line('unreachable', 'pro', 1),
        ]);
    });
});

describe('a decision of this process alone', () => {
    it('counts a window as Redis does', (t) => {
        const now = 1_800_000_000_500;
        t.mock.method(Date, 'now', () => now);
        const { takeLocally } = withoutRedis(t);
        const decided = [1, 2, 3].map(() => takeLocally(CLAIM));
        const common = { limit: 2, window: 60, reset: 1_800_000_061, wait: 60 };
        assert.deepEqual(decided, [
            { state: 'admitted', remaining: 1, ...common },
            { state: 'admitted', remaining: 0, ...common },
            { state: 'limited', remaining: 0, ...common },
        ]);
    });
});

describe('a decision', () => {
    it('states the seconds to the end of the window, rounded up and at least one', () => {
        const now = 1_800_000_000_000;
        for (const [leftMs, wait] of [
            [60_000, 60],
            [59_001, 60],
            [59_000, 59],
            [1, 1],
            [0, 1],
            [-5, 1],
        ] as const) {
            const end = now + leftMs;
            const decision = decisionOf('admitted', { limit: 3, remaining: 2, windowMs: 60_000, end, now });
            assert.deepEqual(decision, {
                state: 'admitted',
                limit: 3,
                remaining: 2,
                window: 60,
                reset: Math.ceil(end / 1_000),
                wait,
            });
        }
    });

    it('that refuses a call states the limit and the wait', () => {
        const decision = { state: 'limited', limit: 10, remaining: 0, window: 60, reset: 0, wait: 37 } as const;
        const { kind, detail, retry_after } = limitExceeded(decision);
        assert.equal(kind, 'rate_limited');
        assert.equal(detail, 'Limit of 10 requests per minute exceeded. Try again in 37 seconds.');
        assert.equal(retry_after, 37);
        assert.match(limitExceeded({ ...decision, wait: 1 }).detail, /Try again in 1 second\.$/);
        for (const [window, per] of [
            [1, 'second'],
            [10, '10 seconds'],
            [3_600, '3600 seconds'],
        ] as const) {
            const text = `Limit of 10 requests per ${per} exceeded. Try again in 37 seconds.`;
            assert.equal(limitExceeded({ ...decision, window }).detail, text);
        }
    });

    it('is made in the shard of the account', (t) => {
        assert.equal(withoutRedis(t).tag('an account'), shardTag('an account', 4));
    });
});
