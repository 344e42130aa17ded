import assert from 'node:assert/strict';
import { describe, it, mock, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { admission } from '../../../../gateway/admission/admission.ts';
import type { AuthState } from '../../../../gateway/admission/authenticator.ts';
import type { Decision } from '../../../../platform/access/limit-decision.ts';
import { AppError } from '../../../../platform/errors.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, testContext } from '../../../support/context.ts';
import { UNCOUNTED } from '../../../support/test-redis.ts';

type State = Decision['state'];

const CLIENT = { ip: '127.0.0.1', address: '127.0.0.1' };
const CLAIM = { tag: '{0}', bucket: 'bucket', mark: 'mark', limit: 10 };
const STANDING: AuthState = { principal: { user_id: 'user', tier: 'free', key_id: 'key' }, limitRequest: CLAIM };

/**
 * Admission with a limiter that returns `states` in turn (the last one for ever), and an owning service that answers
 * `alive`.
 */
function gateway(states: State[]) {
    const seen = { asked: 0, words: [] as boolean[], local: 0 };
    const owner: { alive: boolean; fails?: AppError } = { alive: true };
    const decision = (state: State): Decision => ({ state, limit: 10, remaining: 9, window: 60, reset: 0, wait: 1 });
    const { bearer, anonymous } = admission({
        authenticator: {
            async identify() {
                return {
                    kind: 'key',
                    id: 'id',
                    async lookUp() {
                        seen.asked++;
                        await turn();
                        if (owner.fails) throw owner.fails;
                        return owner.alive ? STANDING : 'inactive';
                    },
                };
            },
        },
        limiter: {
            async take(limitRequest, confirmation) {
                if (limitRequest.mark === undefined) return decision('admitted'); // an address
                seen.words.push(confirmation !== undefined);
                return decision((states.length > 1 ? states.shift() : states[0]) ?? 'admitted');
            },
            takeLocally: () => {
                seen.local++;
                return decision('admitted');
            },
            tag: () => '{0}',
        },
        requestCounts: UNCOUNTED,
        limits: { anonymous: 100, unknownKey: 100, internal: 100 },
        isInternal: () => false,
        log: quiet,
        metrics: createMetrics(),
        clock: Date.now,
    });
    const call = async () => (await bearer('token', { keys: true }, CLIENT, testContext())).failure?.kind ?? 'served';
    return { call, anonymous, seen, owner };
}

describe('a key or session', () => {
    it('is looked up once, and then cached', async () => {
        const { call, seen } = gateway(['admitted']);
        assert.deepEqual([await call(), await call(), await call()], ['served', 'served', 'served']);
        assert.deepEqual(seen, { asked: 1, words: [true, false, false], local: 0 });
    });

    it('that the owning service does not know is refused, and looked up again by the next call', async () => {
        const { call, seen, owner } = gateway(['admitted']);
        owner.alive = false;
        assert.deepEqual([await call(), await call()], ['unauthenticated', 'unauthenticated']);
        assert.deepEqual([seen.asked, seen.words], [2, []]);
    });

    it('without a liveness mark is looked up in the same call, and the confirmation goes to the limiter', async () => {
        const { call, seen } = gateway(['admitted', 'unconfirmed', 'admitted']);
        assert.deepEqual([await call(), await call()], ['served', 'served']);
        assert.deepEqual(seen, { asked: 2, words: [true, false, true], local: 0 });
    });

    it('without a liveness mark is refused if the owning service does not confirm it', async () => {
        const { call, owner } = gateway(['admitted', 'unconfirmed']);
        await call();
        owner.alive = false;
        assert.equal(await call(), 'unauthenticated');
    });

    it('that the limiter refuses is dropped from the cache', async () => {
        const { call, seen } = gateway(['admitted', 'refused', 'admitted']);
        assert.deepEqual([await call(), await call()], ['served', 'unauthenticated']);
        assert.equal(seen.asked, 1);
        await call();
        assert.equal(seen.asked, 2);
    });

    it('whose liveness mark is missing again after a lookup is served, because the owning service has confirmed it', async () => {
        const { call, seen } = gateway(['unconfirmed']);
        assert.equal(await call(), 'served');
        assert.deepEqual(seen, { asked: 2, words: [true, true], local: 1 });
    });

    it('is looked up on every call while Redis is unreachable, and refused as soon as it is not confirmed', async () => {
        const { call, seen, owner } = gateway(['admitted', 'unreachable']);
        assert.deepEqual([await call(), await call(), await call()], ['served', 'served', 'served']);
        assert.deepEqual([seen.asked, seen.local], [3, 2]);
        owner.alive = false;
        assert.equal(await call(), 'unauthenticated');
    });

    it('is not refused as unknown while neither Redis nor the owning service answers', async () => {
        const { call, owner } = gateway(['admitted', 'unreachable']);
        await call();
        owner.fails = new AppError('unavailable', 'away', { retry_after: 1, reason: 'service keys' });
        await assert.rejects(call(), { kind: 'unavailable' });
    });
});

describe('before a liveness mark expires', () => {
    /** Replaces the clock that measures the age of cached auth states. */
    function setClock(t: TestContext) {
        const clock = { now: 1_000 };
        const mocked = mock.method(performance, 'now', () => clock.now);
        t.after(() => mocked.mock.restore());
        return clock;
    }

    it('a cached auth state in use is refreshed once, and no call waits for the refresh', async (t) => {
        const clock = setClock(t);
        const { call, seen } = gateway(['admitted']);
        await call();
        clock.now += 39_999;
        await call();
        assert.equal(seen.asked, 1);
        clock.now += 1;
        await Promise.all([call(), call(), call()]);
        await turn();
        assert.equal(seen.asked, 2);
        await call();
        assert.deepEqual(seen.words, [true, false, false, false, false, true]);
    });

    it('a cached auth state that is not confirmed again is dropped, and the next call is refused', async (t) => {
        const clock = setClock(t);
        const { call, owner } = gateway(['admitted']);
        await call();
        clock.now += 40_000;
        owner.alive = false;
        await call();
        await turn();
        assert.equal(await call(), 'unauthenticated');
    });

    it('an owning service that does not answer is asked again by a later call, and no call is refused', async (t) => {
        const clock = setClock(t);
        const { call, seen, owner } = gateway(['admitted']);
        await call();
        clock.now += 40_000;
        owner.fails = new AppError('unavailable', 'away', { reason: 'service keys' });
        assert.equal(await call(), 'served');
        await turn();
        await turn();
        assert.equal(await call(), 'served');
        assert.equal(seen.asked, 3);
    });
});
