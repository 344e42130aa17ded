import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { admission } from '../../../../gateway/admission/admission.ts';
import type { Bearer } from '../../../../gateway/admission/authenticator.ts';
import type { Decision, LimitRequest } from '../../../../platform/access/limit-decision.ts';
import { AppError } from '../../../../platform/errors.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { quiet, testContext } from '../../../support/context.ts';

const ADDRESS = '203.0.113.7';
const CLIENT = { ip: ADDRESS, address: ADDRESS };
const LIMITS = { anonymous: 100, unknownKey: 5, internal: 1_000_000 };
const decision = (state: Decision['state']): Decision => ({ state, limit: 1, remaining: 0, reset: 0, wait: 7 });

/** Admission with an authenticator that returns `bearer` for any token, and a limiter that decides by bucket. */
function setUp(options: { bearer?: Partial<Bearer>; byBucket?: Record<string, Decision['state'] | Error> } = {}) {
    const asked: LimitRequest[] = [];
    const local: LimitRequest[] = [];
    const counted: unknown[] = [];
    const admit = admission({
        authenticator: {
            identify: async () =>
                options.bearer && { kind: 'key', id: 'a', lookUp: async () => undefined, ...options.bearer },
        },
        limiter: {
            async take(limitRequest) {
                asked.push(limitRequest);
                const state = options.byBucket?.[limitRequest.bucket] ?? 'admitted';
                if (state instanceof Error) throw state;
                return decision(state);
            },
            takeLocally(limitRequest) {
                local.push(limitRequest);
                return decision('limited');
            },
            tag: (account) => `{${account}}`,
        },
        requestCounts: {
            admitted: (caller, requests) => counted.push(['admitted', caller, requests]),
            refused: (caller) => counted.push(['refused', caller]),
            verifiedPresentation: (caller) => counted.push(['verified', caller]),
            async stop() {},
        },
        limits: LIMITS,
        isInternal: () => false,
        log: quiet,
        metrics: createMetrics(),
        clock: Date.now,
    });
    const call = async (token: string | undefined, accepts = { keys: true }, weight?: number) => {
        const { failure } = await admit.bearer(token, accepts, CLIENT, testContext(), weight);
        return failure && [failure.kind, failure.detail];
    };
    return { ...admit, asked, local, counted, call };
}

const OF_ADDRESS = { tag: `{${ADDRESS}}`, bucket: `window:{${ADDRESS}}:address:calls:${ADDRESS}`, limit: 100 };
const OF_UNKNOWN_KEYS = { tag: `{${ADDRESS}}`, bucket: `window:{${ADDRESS}}:address:lookups:${ADDRESS}`, limit: 5 };
const UNKNOWN = ['unauthenticated', 'The bearer token is unknown, revoked or expired.'];
const EXCEEDED = ['rate_limited', 'Limit of 1 requests per minute exceeded. Try again in 7 seconds.'];

describe('a call without a credential', () => {
    it('counts in the bucket of its address', async () => {
        const { anonymous, asked } = setUp();
        const { decision: decided, failure } = await anonymous(ADDRESS, {});
        assert.deepEqual([decided, failure], [decision('admitted'), undefined]);
        assert.deepEqual(asked, [OF_ADDRESS]);
    });

    it('is refused if the bucket of its address is used up', async () => {
        const { anonymous } = setUp({ byBucket: { [OF_ADDRESS.bucket]: 'limited' } });
        assert.equal((await anonymous(ADDRESS, {})).failure?.kind, 'rate_limited');
    });

    for (const [what, state] of [
        ['Redis does not answer', 'unreachable'],
        ['the queue of the limiter is full', new AppError('unavailable', 'too much')],
    ] as const) {
        it(`is counted in this process if ${what}`, async () => {
            const { anonymous, local } = setUp({ byBucket: { [OF_ADDRESS.bucket]: state } });
            assert.equal((await anonymous(ADDRESS, {})).failure?.kind, 'rate_limited');
            assert.deepEqual(local, [OF_ADDRESS]);
        });
    }
});

describe('a bearer token', () => {
    it('is required', async () => {
        const { call, asked } = setUp();
        assert.deepEqual(await call(undefined), ['unauthenticated', 'A bearer token is required in Authorization.']);
        assert.deepEqual(asked, [OF_ADDRESS]);
    });

    it('that is not valid is refused, and the refusal names what the endpoint accepts', async () => {
        const { call, asked } = setUp();
        assert.deepEqual(await call('x'), ['unauthenticated', 'The session token or API key is not valid.']);
        assert.deepEqual(await call('x', { keys: false }), ['unauthenticated', 'The session token is not valid.']);
        assert.deepEqual(asked, [OF_ADDRESS, OF_ADDRESS]);
    });

    it('that is an API key is refused where only sessions are accepted, and is not looked up', async () => {
        const lookUp = () => assert.fail('the key is looked up');
        const { call } = setUp({ bearer: { kind: 'key', lookUp } });
        assert.deepEqual(await call('x', { keys: false }), ['unauthenticated', 'The session token is not valid.']);
    });

    it('that is a session is accepted where only sessions are accepted', async () => {
        const limitRequest = { tag: '{u}', bucket: 'b', mark: 'm', limit: 10 };
        const lookUp = async () => ({ principal: { user_id: 'u', tier: 'pro' }, limitRequest });
        const { bearer } = setUp({ bearer: { kind: 'session', lookUp } });
        const { principal, failure } = await bearer('x', { keys: false }, CLIENT, testContext());
        assert.deepEqual([principal, failure], [{ user_id: 'u', tier: 'pro' }, undefined]);
    });

    it('that is over its limit is refused as rate limited, with its principal', async () => {
        const limitRequest = { tag: '{u}', bucket: 'b', mark: 'm', limit: 10 };
        const lookUp = async () => ({ principal: { user_id: 'u', tier: 'pro' }, limitRequest });
        const { bearer } = setUp({ bearer: { lookUp }, byBucket: { b: 'limited' } });
        const { principal, failure } = await bearer('x', { keys: true }, CLIENT, testContext());
        assert.deepEqual([principal?.user_id, failure?.kind, failure?.retry_after], ['u', 'rate_limited', 7]);
    });

    it('that is an unknown key counts as a guess and as a call from its address', async () => {
        const { call, asked } = setUp({ bearer: { kind: 'key' } });
        assert.deepEqual(await call('x'), UNKNOWN);
        assert.deepEqual(asked, [OF_UNKNOWN_KEYS, OF_ADDRESS]);
    });

    it('that is an unknown session counts as a call from its address, but not as a guess', async () => {
        const { call, asked } = setUp({ bearer: { kind: 'session' } });
        assert.deepEqual(await call('x'), UNKNOWN);
        assert.deepEqual(asked, [OF_ADDRESS]);
    });

    it('is refused as rate limited if its address has made too many guesses or calls', async () => {
        for (const { bucket } of [OF_UNKNOWN_KEYS, OF_ADDRESS]) {
            const { call } = setUp({ bearer: { kind: 'key' }, byBucket: { [bucket]: 'limited' } });
            assert.deepEqual(await call('x'), EXCEEDED, bucket);
        }
    });
});

describe('a trusted call', () => {
    it('is never refused, and its rate-limit headers show a bucket of this process', () => {
        const { unlimited, local } = setUp();
        assert.deepEqual(unlimited(), { decision: decision('limited') });
        assert.deepEqual(local, [{ tag: '', bucket: 'internal', limit: 1_000_000 }]);
    });
});

describe('what is counted for the statistics', () => {
    const limitRequest = { tag: '{u}', bucket: 'b', mark: 'm', limit: 10 };
    const principal = { user_id: 'u', tier: 'pro', key_id: 'k' };
    const lookUp = async () => ({ principal, limitRequest });

    it('is each admitted call, as the number of requests that it counts as', async () => {
        const { call, counted } = setUp({ bearer: { lookUp } });
        await call('x');
        await call('x', { keys: true }, 20);
        assert.deepEqual(counted, [
            ['admitted', principal, 1],
            ['admitted', principal, 20],
        ]);
    });

    it('is each call over its limit, as one', async () => {
        const { call, counted } = setUp({ bearer: { lookUp }, byBucket: { b: 'limited' } });
        await call('x', { keys: true }, 20);
        assert.deepEqual(counted, [['refused', principal]]);
    });

    it('is a verified presentation, and nothing of a call whose caller is unknown', async () => {
        const { call, countVerified, counted } = setUp({ bearer: {} });
        await call('x');
        await call(undefined);
        countVerified(principal);
        assert.deepEqual(counted, [['verified', principal]]);
    });
});
