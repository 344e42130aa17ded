import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { exposeGuard, guard } from '../../../platform/access/guard.ts';
import { localSteps } from '../../../platform/access/guard-memory.ts';
import { type GuardTarget, type Step, sharedSteps } from '../../../platform/access/guard-steps.ts';
import type { AppError } from '../../../platform/errors.ts';
import { openRedis, type Redis } from '../../../platform/redis/redis.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { quiet, testRedis } from '../../support/harness.ts';
import { newTarget, right, wrong } from './guard.fixture.ts';
import { underClock } from './script-clock.ts';

const T0 = Date.UTC(2031, 4, 14);
const DAY_MS = 86_400_000;
const redis = await testRedis();

/** Tries wrong passwords at once, on these guards in turn. Returns how many of the `tries` were checked. */
async function lookedAt(guards: Array<ReturnType<typeof guard>>, target: GuardTarget, tries: number): Promise<number> {
    const attempts = Array.from({ length: tries }, (_, index) => guards[index % guards.length]?.attempt(target, wrong));
    const outcomes = await Promise.allSettled(attempts);
    return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

describe('a process without Redis', () => {
    const warnings: string[] = [];
    const log = Object.assign(Object.create(quiet), { warn: (_fields: object, text: string) => warnings.push(text) });
    const absent = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
    after(() => absent.disconnect());
    const alone = () => guard({ redis: absent, shards: 4, log });

    it('checks only ten of two hundred wrong passwords, and then makes the right one wait too', async () => {
        const [target, guarded] = [newTarget(), alone()];
        assert.equal(await lookedAt([guarded], target, 200), 10);
        await assert.rejects(guarded.attempt(target, right), (error: AppError) => {
            return error.kind === 'rate_limited' && error.retry_after === 1;
        });
        assert.equal(await guarded.attempt({ ...target, address: '192.0.2.2' }, right), 'opened');
        assert.ok(warnings.includes('password guard: Redis does not answer, this process decides alone'));
    });

    it('checks at most ten wrong passwords of its own, in addition to those of other processes', async () => {
        const target = newTarget();
        assert.equal(await lookedAt([alone(), alone(), alone()], target, 300), 30);
    });

    it('serves concurrent right passwords', async () => {
        const [target, guarded] = [newTarget(), alone()];
        const answers = await Promise.all(Array.from({ length: 100 }, () => guarded.attempt(target, right)));
        assert.ok(answers.every((answer) => answer === 'opened'));
    });
});

/** A Redis that a test can make unreachable, and reachable again. */
function removable(): { redis: Redis; away: boolean } {
    const state = { redis, away: false };
    state.redis = new Proxy(redis, {
        get(target, name) {
            const value: unknown = Reflect.get(target, name);
            if (typeof value !== 'function') return value;
            return state.away ? () => Promise.reject(new Error('away')) : value.bind(target);
        },
    });
    return state;
}

describe('when Redis becomes unreachable', () => {
    it('the metrics show that attempts count in this process alone', async () => {
        const metrics = createMetrics();
        exposeGuard(metrics);
        const counted = async (book: string): Promise<number> => {
            const { text } = await metrics.expose();
            return Number(new RegExp(`^password_attempts_total\\{book="${book}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
        };
        const [shared, local] = [await counted('shared'), await counted('local')];
        const changing = removable();
        const guarded = guard({ redis: changing.redis, shards: 4, log: quiet });
        await guarded.attempt(newTarget(), right);
        changing.away = true;
        await guarded.attempt(newTarget(), right);
        await guarded.attempt(newTarget(), right);
        assert.equal(await counted('shared'), shared + 1);
        assert.equal(await counted('local'), local + 2);
    });

    it('an address that had succeeded before is served after a hundred failures from elsewhere', async () => {
        const shared = removable();
        const guarded = guard({ redis: shared.redis, shards: 4, log: quiet });
        const target = newTarget();
        assert.equal(await guarded.attempt({ ...target, address: 'home' }, right), 'opened');
        shared.away = true;
        let failures = 0;
        for (let address = 0; address < 11; address++) {
            failures += await lookedAt([guarded], { ...target, address: `unknown ${address}` }, 20);
        }
        assert.equal(failures, 100);
        await assert.rejects(guarded.attempt({ ...target, address: 'new' }, right), { kind: 'rate_limited' });
        assert.equal(await guarded.attempt({ ...target, address: 'home' }, right), 'opened');
    });

    it('and then reachable again, its counts apply again', async (t) => {
        let now = 1_000;
        t.mock.method(performance, 'now', () => now);
        const shared = removable();
        const guarded = guard({ redis: shared.redis, shards: 4, log: quiet });
        const target = newTarget();
        for (let failure = 0; failure < 7; failure++) await guarded.attempt(target, wrong);
        shared.away = true;
        assert.equal(await lookedAt([guarded], target, 50), 10);
        shared.away = false;
        await assert.rejects(guarded.attempt(target, right), { kind: 'rate_limited' }, 'Redis is not asked again yet');
        now += 501;
        assert.equal(await lookedAt([guarded], target, 50), 3);
    });
});

it('the rule in memory decides every step like the rule in Redis', async () => {
    const step = fc.record({
        step: fc.constantFrom<Step>(
            ...(Array(8).fill('begin') as Step[]),
            'failed',
            'failed',
            'failed',
            'succeeded',
            'void',
        ),
        address: fc.constantFrom('a', 'b', 'c', undefined),
        // Mostly no pause, often one within a short wait, sometimes one of up to fifteen minutes.
        pause: fc.oneof(
            { weight: 8, arbitrary: fc.constant(0) },
            { weight: 4, arbitrary: fc.nat(2_000) },
            { weight: 2, arbitrary: fc.nat(DAY_MS / 96) },
        ),
    });
    await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 400 }), async (steps) => {
            let now = T0;
            const shared = sharedSteps(
                underClock(redis, () => now),
                1,
            );
            const local = localSteps(() => now);
            const { subject } = newTarget();
            for (const { step, address, pause } of steps) {
                now += pause;
                const [state, wait] = await shared({ subject, address }, step);
                const [localState, localWait] = local.run({ subject, address }, step);
                // Redis' own expiry decides how long the count of a day lasts, and the clock above does not move that.
                if (state === 'refused' && wait > DAY_MS / 96) assert.ok(localWait > 0);
                else assert.equal(localWait, wait);
                assert.equal(localState, state);
            }
        }),
        { numRuns: 30 },
    );
});
