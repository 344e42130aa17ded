import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../platform/errors.ts';
import { testContext } from '../../../support/context.ts';
import { ADDRESS, CLIENT, decision, OF_ADDRESS, setUp } from './admission.fixture.ts';

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
        ['the queue of the limiter is full', new AppError('unavailable', 'too much', { reason: 'queue limiter' })],
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
