import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { authStates } from '../../../../gateway/admission/auth-states.ts';
import type { Bearer } from '../../../../gateway/admission/authenticator.ts';
import type { Decision } from '../../../../platform/access/limit-decision.ts';
import type { Confirmation } from '../../../../platform/access/limit-script.ts';
import type { Limiter } from '../../../../platform/access/limiter.ts';
import type { CallContext } from '../../../../platform/context.ts';
import type { Log } from '../../../../platform/telemetry/log.ts';
import { testContext } from '../../../support/context.ts';

const CLAIM = { bucket: 'b', mark: 'm', tag: 't', limit: 1 };
const decision = (state: Decision['state']): Decision => ({
    state,
    limit: 1,
    remaining: 1,
    window: 60,
    reset: 1,
    wait: 1,
});

/** Calls with one key and with a clock that the test sets. The limiter always decides `limiter.state`. */
function setUp(t: TestContext) {
    const clock = { now: 1_000 };
    t.mock.method(performance, 'now', () => clock.now);
    const owner: { tier: string; fails?: Error } = { tier: 'enterprise' };
    const seen = { asked: [] as CallContext[], words: [] as Array<number | undefined>, warnings: [] as unknown[] };
    const limiter = {
        state: 'admitted' as Decision['state'],
        async take(limitRequest: unknown, confirmation: Confirmation | undefined) {
            assert.equal(limitRequest, CLAIM);
            seen.words.push(confirmation?.askedAt);
            return decision(limiter.state);
        },
        takeLocally: () => decision('limited'),
    };
    const bearer: Bearer = {
        kind: 'key',
        id: 'a',
        async lookUp(context) {
            seen.asked.push(context);
            if (owner.fails) throw owner.fails;
            return { principal: { user_id: 'u', tier: owner.tier }, limitRequest: CLAIM };
        },
    };
    // The tested code uses nothing else of the log and of the limiter.
    const log = { warn: (...args: unknown[]) => seen.warnings.push(args) } as unknown as Log;
    const { decideCall } = authStates({ limiter: limiter as unknown as Limiter, log, clock: Date.now });
    const context = testContext();
    const call = async () => {
        const decided = await decideCall(bearer, context, '127.0.0.1', 1);
        return 'decision' in decided ? decided : undefined;
    };
    const tierSeen = async () => (await call())?.principal.tier;
    return { clock, owner, seen, limiter, context, tierSeen, call };
}

describe('a confirmation by the owning service', () => {
    it('is not used after a minute, even if another gateway keeps the liveness mark alive', async (t) => {
        const { clock, owner, tierSeen } = setUp(t);
        assert.equal(await tierSeen(), 'enterprise');
        owner.tier = 'free';
        clock.now += 30_000;
        assert.equal(await tierSeen(), 'enterprise', 'it is cached until then');
        clock.now += 30_000;
        assert.equal(await tierSeen(), 'free');
    });

    it('is used for a minute less a millisecond, and refreshed meanwhile', async (t) => {
        const { clock, owner, tierSeen, seen } = setUp(t);
        await tierSeen();
        owner.tier = 'free';
        clock.now += 59_999;
        assert.equal(await tierSeen(), 'enterprise');
        await turn();
        assert.equal(seen.asked.length, 2);
        assert.equal(await tierSeen(), 'free');
    });

    it('is passed to Redis once, with the time of the lookup', async (t) => {
        const { clock, call, seen } = setUp(t);
        await call();
        clock.now += 10;
        await call();
        assert.deepEqual(seen.words, [1_000, undefined]);
    });
});

describe('the owning service', () => {
    it('is asked by the gateway as a trusted caller, with the deadline of the call', async (t) => {
        const { call, seen, context } = setUp(t);
        await call();
        assert.deepEqual(
            seen.asked.map(({ trusted, deadline, request_id }) => ({ trusted, deadline, request_id })),
            [{ trusted: true, deadline: context.deadline, request_id: context.request_id }],
        );
    });

    it('has ten seconds to confirm a key in use, however little time the call has left', async (t) => {
        const { clock, call, seen } = setUp(t);
        await call();
        clock.now += 40_000;
        await call();
        assert.equal(seen.asked[1]?.deadline, clock.now + 10_000);
        assert.equal(seen.asked[1]?.trusted, true);
    });

    it('is asked again by the next call if a refresh fails, and the failure is logged', async (t) => {
        const { clock, owner, call, seen } = setUp(t);
        await call();
        clock.now += 40_000;
        owner.fails = new Error('away');
        for (let times = 1; times <= 2; times++) {
            await call();
            await turn();
            assert.equal(seen.asked.length, 1 + times);
        }
        const warning = [{ err: owner.fails }, 'could not refresh a cached authentication state'];
        assert.deepEqual(seen.warnings, [warning, warning]);
    });
});

describe('a call', () => {
    it('that Redis does not decide is decided by this process, after a lookup in the same call', async (t) => {
        const { limiter, call, seen } = setUp(t);
        await call();
        limiter.state = 'unreachable';
        assert.equal((await call())?.decision.state, 'limited');
        assert.equal(seen.asked.length, 2);
        assert.equal(seen.words.length, 2, 'Redis is not asked again');
    });

    it('with a new key that Redis does not decide is decided by this process, without a second lookup', async (t) => {
        const { limiter, call, seen } = setUp(t);
        limiter.state = 'unreachable';
        assert.equal((await call())?.decision.state, 'limited');
        assert.equal(seen.asked.length, 1);
    });

    it('over its limit is refused without a lookup', async (t) => {
        const { limiter, call, seen } = setUp(t);
        await call();
        limiter.state = 'limited';
        assert.deepEqual((await call())?.decision, decision('limited'));
        assert.equal(seen.asked.length, 1);
    });
});
