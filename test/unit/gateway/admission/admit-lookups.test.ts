import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Decision } from '../../../../platform/access/limit-decision.ts';
import { AppError } from '../../../../platform/errors.ts';
import { EXCEEDED, OF_ADDRESS, OF_UNKNOWN_KEYS, setUp, UNKNOWN } from './admission.fixture.ts';

describe('a bearer token that the gateway does not know', () => {
    it('that is an unknown key counts as a guess before it is looked up, and as a call from its address', async () => {
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

    it('is not looked up for an address that has made too many guesses, and counts as a call from it', async () => {
        const lookUp = () => assert.fail('it is looked up');
        const { call, asked } = setUp({
            bearer: { kind: 'key', lookUp },
            byBucket: { [OF_UNKNOWN_KEYS.bucket]: 'limited' },
        });
        assert.deepEqual(await call('x'), EXCEEDED);
        assert.deepEqual(asked, [OF_UNKNOWN_KEYS, OF_ADDRESS]);
    });

    it('that the look-up finds costs its address nothing, and is not affected by its guesses from then on', async () => {
        const limitRequest = { tag: '{u}', bucket: 'b', mark: 'm', limit: 10 };
        const lookUp = async () => ({ principal: { user_id: 'u', tier: 'pro' }, limitRequest });
        const byBucket: Record<string, Decision['state']> = {};
        const { call, asked } = setUp({ bearer: { kind: 'key', lookUp }, byBucket });
        assert.equal(await call('x'), undefined);
        assert.deepEqual(asked, [OF_UNKNOWN_KEYS, limitRequest, { ...OF_UNKNOWN_KEYS, weight: -1 }]);
        for (const { bucket } of [OF_UNKNOWN_KEYS, OF_ADDRESS]) byBucket[bucket] = 'limited';
        assert.equal(await call('x'), undefined);
    });

    it('that could not be looked up costs its address nothing', async () => {
        const lookUp = async () => Promise.reject(new AppError('unavailable', 'away', { reason: 'service keys' }));
        const { call, asked } = setUp({ bearer: { kind: 'key', lookUp } });
        await assert.rejects(call('x'), { kind: 'unavailable' });
        assert.deepEqual(asked, [OF_UNKNOWN_KEYS, { ...OF_UNKNOWN_KEYS, weight: -1 }]);
    });

    for (const kind of ['key', 'session'] as const) {
        it(`that is a ${kind} that can never be active again is looked up once, and is then no guess`, async () => {
            let lookUps = 0;
            const lookUp = async () => {
                lookUps++;
                return 'gone' as const;
            };
            const { call, asked } = setUp({ bearer: { kind, lookUp } });
            for (let repeat = 0; repeat < 3; repeat++) assert.deepEqual(await call('x'), UNKNOWN);
            assert.equal(lookUps, 1);
            const first = kind === 'key' ? [OF_UNKNOWN_KEYS] : [];
            assert.deepEqual(asked, [...first, OF_ADDRESS, OF_ADDRESS, OF_ADDRESS]);
        });
    }
});

describe('a key or session of a suspended account', () => {
    const limitRequest = { tag: '{u}', bucket: 'b', mark: 'm', limit: 10 };
    const active = { principal: { user_id: 'u', tier: 'pro' }, limitRequest };

    for (const kind of ['key', 'session'] as const) {
        const suspended = () => {
            const owner: { lookUps: number; state: 'suspended' | typeof active } = { lookUps: 0, state: 'suspended' };
            const lookUp = async () => {
                owner.lookUps++;
                return owner.state;
            };
            const byBucket: Record<string, Decision['state']> = {};
            return { owner, byBucket, ...setUp({ bearer: { kind, lookUp }, byBucket }) };
        };

        it(`(${kind}) is looked up again only while its address may make calls and look-ups`, async () => {
            for (const { bucket } of [OF_ADDRESS, OF_UNKNOWN_KEYS]) {
                const { call, owner, byBucket } = suspended();
                for (let repeat = 0; repeat < 2; repeat++) assert.equal((await call('x'))?.[0], 'forbidden');
                assert.equal(owner.lookUps, 2);
                byBucket[bucket] = 'limited';
                assert.deepEqual(await call('x'), EXCEEDED, bucket);
                assert.equal(owner.lookUps, 2, bucket);
            }
        });

        it(`(${kind}) counts once as a call from its address, and keeps what the look-up costs`, async () => {
            const { call, asked } = suspended();
            await call('x');
            asked.length = 0;
            await call('x');
            assert.deepEqual(asked, [OF_ADDRESS, OF_UNKNOWN_KEYS]);
        });

        it(`(${kind}) works on the next call after a restoration, and then costs its address nothing`, async () => {
            const { call, asked, owner, byBucket } = suspended();
            await call('x');
            owner.state = active;
            asked.length = 0;
            assert.equal(await call('x'), undefined);
            const given = [OF_UNKNOWN_KEYS, OF_ADDRESS].map((bucket) => ({ ...bucket, weight: -1 }));
            assert.deepEqual(asked, [OF_ADDRESS, OF_UNKNOWN_KEYS, limitRequest, ...given]);
            for (const { bucket } of [OF_UNKNOWN_KEYS, OF_ADDRESS]) byBucket[bucket] = 'limited';
            assert.equal(await call('x'), undefined);
        });
    }
});
