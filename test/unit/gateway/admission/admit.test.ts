import assert from 'node:assert/strict';
import { describe, it, mock, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { admitter } from '../../../../gateway/admission/admit.ts';
import type { AuthState } from '../../../../gateway/admission/auth.ts';
import type { Decision } from '../../../../gateway/admission/limit-decision.ts';
import { AppError } from '../../../../platform/errors.ts';
import { quiet, testContext } from '../../../support/context.ts';

type State = Decision['state'];

const CLAIM = { tag: '{0}', bucket: 'bucket', mark: 'mark', limit: 10 };
const STANDING: AuthState = { principal: { user_id: 'user', tier: 'free', key_id: 'key' }, limitRequest: CLAIM };

/** An admitter whose limiter answers `states` in turn (the last one for ever), and whose owner answers `alive`. */
function gateway(states: State[]) {
    const seen = { asked: 0, words: [] as boolean[], local: 0 };
    const owner: { alive: boolean; fails?: AppError } = { alive: true };
    const decision = (state: State): Decision => ({ state, limit: 10, remaining: 9, reset: 0, wait: 1 });
    const { bearer, anonymous } = admitter({
        authenticator: {
            async identify() {
                return {
                    kind: 'key',
                    id: 'id',
                    async lookUp() {
                        seen.asked++;
                        await turn();
                        if (owner.fails) throw owner.fails;
                        return owner.alive ? STANDING : undefined;
                    },
                };
            },
        },
        limiter: {
            async take(limitRequest, lookedUpAt) {
                if (limitRequest.mark === undefined) return decision('admitted'); // an address
                seen.words.push(lookedUpAt !== undefined);
                return decision((states.length > 1 ? states.shift() : states[0]) ?? 'admitted');
            },
            countVerified: async () => {},
            takeLocally: () => {
                seen.local++;
                return decision('admitted');
            },
            tag: () => '{0}',
        },
        limits: { anonymous: 100, unknown_key: 100, internal: 100 },
        log: quiet,
    });
    const call = async () =>
        (await bearer('token', { keys: true }, '127.0.0.1', testContext())).failure?.kind ?? 'served';
    return { call, anonymous, seen, owner };
}

describe('a key or session', () => {
    it('is asked for once, and then known', async () => {
        const { call, seen } = gateway(['admitted']);
        assert.deepEqual([await call(), await call(), await call()], ['served', 'served', 'served']);
        assert.deepEqual(seen, { asked: 1, words: [true, false, false], local: 0 });
    });

    it('that is unknown to its owner is refused, and asked for again the next time', async () => {
        const { call, seen, owner } = gateway(['admitted']);
        owner.alive = false;
        assert.deepEqual([await call(), await call()], ['unauthenticated', 'unauthenticated']);
        assert.deepEqual([seen.asked, seen.words], [2, []]);
    });

    it('without a live mark is asked for in the same call, and the word passed on', async () => {
        const { call, seen } = gateway(['admitted', 'unconfirmed', 'admitted']);
        assert.deepEqual([await call(), await call()], ['served', 'served']);
        assert.deepEqual(seen, { asked: 2, words: [true, false, true], local: 0 });
    });

    it('without a live mark, and dead to its owner, is refused', async () => {
        const { call, owner } = gateway(['admitted', 'unconfirmed']);
        await call();
        owner.alive = false;
        assert.equal(await call(), 'unauthenticated');
    });

    it('that has been refused is forgotten', async () => {
        const { call, seen } = gateway(['admitted', 'refused', 'admitted']);
        assert.deepEqual([await call(), await call()], ['served', 'unauthenticated']);
        assert.equal(seen.asked, 1);
        await call();
        assert.equal(seen.asked, 2);
    });

    it('whose mark will not stick is served on its owner’s word, not refused', async () => {
        const { call, seen } = gateway(['unconfirmed']);
        assert.equal(await call(), 'served');
        assert.deepEqual(seen, { asked: 2, words: [true, true], local: 1 });
    });

    it('is asked for on every call while Redis is away, and refused as soon as its owner says so', async () => {
        const { call, seen, owner } = gateway(['admitted', 'unreachable']);
        assert.deepEqual([await call(), await call(), await call()], ['served', 'served', 'served']);
        assert.deepEqual([seen.asked, seen.local], [3, 2]);
        owner.alive = false;
        assert.equal(await call(), 'unauthenticated');
    });

    it('is not refused as unknown while neither Redis nor its owner answers', async () => {
        const { call, owner } = gateway(['admitted', 'unreachable']);
        await call();
        owner.fails = new AppError('unavailable', 'away', { retry_after: 1 });
        await assert.rejects(call(), { kind: 'unavailable' });
    });
});

describe('ahead of its mark’s end', () => {
    /** Sets the clock that standings are aged by. */
    function setClock(t: TestContext) {
        const clock = { now: 1_000 };
        const mocked = mock.method(performance, 'now', () => clock.now);
        t.after(() => mocked.mock.restore());
        return clock;
    }

    it('a standing in use is asked for again, once, without holding up a call', async (t) => {
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

    it('a standing that has ended meanwhile is forgotten, and the next call refused', async (t) => {
        const clock = setClock(t);
        const { call, owner } = gateway(['admitted']);
        await call();
        clock.now += 40_000;
        owner.alive = false;
        await call();
        await turn();
        assert.equal(await call(), 'unauthenticated');
    });

    it('an owner that does not answer is asked again by a later call, and nobody is refused for it', async (t) => {
        const clock = setClock(t);
        const { call, seen, owner } = gateway(['admitted']);
        await call();
        clock.now += 40_000;
        owner.fails = new AppError('unavailable', 'away');
        assert.equal(await call(), 'served');
        await turn();
        await turn();
        assert.equal(await call(), 'served');
        assert.equal(seen.asked, 3);
    });
});
