import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext } from '../../support/harness.ts';
import { chainsFixture } from './chains.fixture.ts';

const { clock, keys, inMs, lookUps, use } = await chainsFixture();

test('a key that is misused asks the keys service once a minute, and works on the next call after it was widened', async () => {
    const context = testContext();
    const { key_id, api_key } = await keys.generate({ name: 'a', tier: 'pro' }, context);
    await use(api_key, 4); // the gateways know the epoch and the key
    /** Misuses the key on both gateways. Returns how often they asked. */
    const misuse = async (): Promise<number> => {
        const before = lookUps();
        for (let round = 0; round < 10; round++) assert.equal(await use(api_key, 4), 0);
        return lookUps() - before;
    };
    for (const [narrow, widen] of [
        [() => ({ allowed_addresses: ['10.0.0.0/8'] }), { clear_allowed_addresses: true }],
        [() => ({ expires_at: inMs(1) }), { clear_expires_at: true }],
    ] as const) {
        await keys.restrict({ key_id, ...narrow() }, context);
        clock.now += 1;
        const asked = await misuse();
        // Both gateways learn of the change, each by one wave of two calls.
        assert.ok(asked <= 4, `${asked} look-ups for 40 calls`);
        assert.equal(await misuse(), 0);
        await keys.restrict({ key_id, ...widen }, context);
        assert.equal(await use(api_key, 4), 4);
    }
    await keys.revoke({ key_id }, context);
    await misuse();
    assert.equal(await misuse(), 0, 'a revoked key is remembered');
});
