import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../../platform/errors.ts';
import { findDrift } from '../../../../services/counts/drift.store.ts';
import { keyStore } from '../../../../services/keys/store.ts';
import { chainsFixture, FREE_LIMIT, MONTH_S, PLACES } from '../../../integration/keys/chains.fixture.ts';
import { testContext } from '../../../support/harness.ts';

const { db, clock, keys, activeByDeltas, inMs, used, use } = await chainsFixture();

/** Performs random changes of an account's keys. `tiers`: those that it asks for. */
async function attack(seed: number, tiers: readonly string[], atOnce: number) {
    let state = seed;
    const dice = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
        return (state >> 8) % below;
    };
    const context = testContext({ tier: 'free' });
    const made: Array<{ key_id: string; api_key: string }> = [];
    const one = (): { key_id: string } => made[dice(made.length)] ?? { key_id: 'x' };
    const changes = [
        async () => void made.push(await keys.generate({ name: 'a', tier: tiers[dice(tiers.length)] }, context)),
        async () => {
            const expiring = { name: 'a', tier: tiers[dice(tiers.length)], expires_at: inMs(1 + dice(3)) };
            made.push(await keys.generate(expiring, context));
        },
        async () => {
            const { key } = await keys.rotate({ ...one(), overlap_seconds: dice(2) * MONTH_S }, context);
            if (key) made.push(key);
        },
        () => keys.restrict({ ...one(), expires_at: inMs(1 + dice(3)) }, context),
        () => keys.restrict({ ...one(), clear_expires_at: true }, context),
        () => keys.revoke(one(), context),
    ];
    let admitted = 0;
    for (let step = 0; step < 20; step++) {
        const chosen = Array.from({ length: atOnce }, () => changes[dice(changes.length)]?.());
        for (const outcome of await Promise.allSettled(chosen)) {
            if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof AppError, outcome.reason);
        }
        clock.now += dice(2);
        const inUse = made.slice(-2 * PLACES);
        for (const { api_key } of inUse) admitted += await use(api_key, 2);
        assert.ok(Number(await used(context)) <= PLACES);
    }
    for (const { api_key } of made) admitted += await use(api_key, 4);
    return { admitted, context };
}

for (const [name, tiers, atOnce, most] of [
    ['one after the other', ['free'], 1, PLACES * FREE_LIMIT],
    ['many at once', ['free'], 5, PLACES * FREE_LIMIT],
    ['of two tiers', ['free', 'basic'], 2, PLACES * 100],
] as const) {
    test(`an account that changes its keys at random, ${name}, gets the calls of ${PLACES} keys at most`, async () => {
        for (const seed of [1, 2]) {
            const began = performance.now();
            const { admitted, context } = await attack(seed, tiers, atOnce);
            assert.ok(performance.now() - began < 60_000, 'it must end within one window');
            assert.ok(admitted <= most, `${admitted} of ${most} calls with seed ${seed}`);
            await keyStore(db).releaseExpired({ now: inMs(0) });
            assert.equal(await used(context), await activeByDeltas(context));
            assert.deepEqual(await findDrift(() => [db]), []);
        }
    });
}
