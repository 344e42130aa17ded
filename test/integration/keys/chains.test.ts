import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openRedis } from '../../../platform/redis/redis.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { quiet } from '../../support/context.ts';
import { testContext } from '../../support/harness.ts';
import { kind } from '../identity/identity.fixture.ts';
import { chainsFixture, FREE_LIMIT, MONTH_S, PLACES } from './chains.fixture.ts';

const { clock, keys, gateway, activeByDeltas, inMs, used, use } = await chainsFixture();

describe('however an account changes its keys, one place among the active keys admits the calls of one key', () => {
    test('when a key is rotated again and again with a long overlap; only one predecessor lives', async () => {
        const context = testContext();
        const secrets = [await keys.generate({ name: 'a' }, context)];
        let admitted = await use(secrets[0]?.api_key ?? '', 2);
        for (let turn = 0; turn < 12; turn++) {
            const keyId = secrets.at(-1)?.key_id ?? '';
            const { key } = await keys.rotate({ key_id: keyId, overlap_seconds: MONTH_S }, context);
            if (key) secrets.push(key);
        }
        for (const { api_key } of secrets) admitted += await use(api_key, FREE_LIMIT);
        assert.equal(admitted, FREE_LIMIT);
        assert.equal(await used(context), 1);
        const list = await keys.list({ limit: 100, with_total: true }, context);
        assert.deepEqual(
            list.keys
                .filter(({ active }) => active)
                .map(({ key_id }) => key_id)
                .sort(),
            secrets
                .slice(-2)
                .map(({ key_id }) => key_id)
                .sort(),
        );
    });

    test('when a key is rotated without an overlap, or revoked and generated anew', async () => {
        const context = testContext();
        let key = await keys.generate({ name: 'a' }, context);
        let admitted = await use(key.api_key, 4);
        for (let turn = 0; turn < 4; turn++) {
            key = (await keys.rotate({ key_id: key.key_id, overlap_seconds: 0 }, context)).key ?? key;
            admitted += await use(key.api_key, 3);
            await keys.revoke({ key_id: key.key_id }, context);
            key = await keys.generate({ name: 'a' }, context);
            admitted += await use(key.api_key, 3);
        }
        assert.equal(admitted, FREE_LIMIT);
        assert.deepEqual([await used(context), await activeByDeltas(context)], [1, 1]);
    });

    test('when a key expires and another is generated, and when the expired one is revived', async () => {
        const context = testContext();
        let admitted = 0;
        const made = [];
        for (let turn = 0; turn < 3 * PLACES; turn++) {
            const key = await keys.generate({ name: 'a', expires_at: inMs(1) }, context);
            admitted += await use(key.api_key, FREE_LIMIT);
            made.push(key);
            clock.now += 1;
        }
        assert.deepEqual([admitted, await used(context)], [FREE_LIMIT, 0]);
        const revive = (keyId: string) => keys.restrict({ key_id: keyId, clear_expires_at: true }, context);
        for (const { key_id } of made.slice(0, PLACES)) await revive(key_id);
        for (const { key_id } of made.slice(PLACES)) await assert.rejects(revive(key_id), kind('forbidden'));
        for (const { api_key } of made) admitted += await use(api_key, FREE_LIMIT);
        assert.deepEqual([admitted, await used(context)], [PLACES * FREE_LIMIT, PLACES]);
    });

    test('when a replaced key outlives its successor: it keeps the place until it ends', async () => {
        const context = testContext();
        const first = await keys.generate({ name: 'a' }, context);
        const { key } = await keys.rotate({ key_id: first.key_id, overlap_seconds: 60 }, context);
        await keys.revoke({ key_id: key?.key_id ?? '' }, context);
        assert.deepEqual([await used(context), await activeByDeltas(context)], [1, 1]);
        for (let place = 1; place < PLACES; place++) await keys.generate({ name: 'b' }, context);
        await assert.rejects(keys.generate({ name: 'c' }, context), kind('forbidden'));
        clock.now += 60_000;
        assert.equal(await used(context), PLACES - 1);
        await keys.generate({ name: 'c' }, context);
        assert.deepEqual([await used(context), await activeByDeltas(context)], [PLACES, PLACES]);
    });

    test('when keys of different tiers follow each other: the calls go on counting, the limit is that of the caller', async () => {
        const context = testContext();
        const free = await keys.generate({ name: 'a', tier: 'free' }, context);
        assert.equal(await use(free.api_key, FREE_LIMIT + 2), FREE_LIMIT);
        await keys.revoke({ key_id: free.key_id }, context);
        const basic = await keys.generate({ name: 'a', tier: 'basic' }, context);
        assert.equal(await use(basic.api_key, RATE_LIMITS.basic), RATE_LIMITS.basic - FREE_LIMIT);
        assert.equal((await keys.check({ api_key: basic.api_key, cost: 0 }, testContext())).remaining, 0);
        await keys.revoke({ key_id: basic.key_id }, context);
        const again = await keys.generate({ name: 'a', tier: 'free' }, context);
        assert.equal(await use(again.api_key, 1), 0);
        const other = await keys.generate({ name: 'b', tier: 'free' }, context);
        assert.equal(await use(other.api_key, FREE_LIMIT + 2), FREE_LIMIT, 'another place has a window of its own');
    });

    test('except that the window of a key that ended two windows ago is over', async () => {
        const context = testContext();
        const old = await keys.generate({ name: 'a' }, context);
        assert.equal(await use(old.api_key, FREE_LIMIT + 2), FREE_LIMIT);
        await keys.revoke({ key_id: old.key_id }, context);
        clock.now += 120_001;
        const { api_key } = await keys.generate({ name: 'a' }, context);
        assert.equal(await use(api_key, FREE_LIMIT + 2), FREE_LIMIT);
    });

    test('and the windows of a gateway without Redis follow the same places', async (t) => {
        const away = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
        t.after(() => away.disconnect());
        const admit = gateway(away);
        const context = testContext();
        const { api_key, key_id } = await keys.generate({ name: 'a' }, context);
        const { key } = await keys.rotate({ key_id, overlap_seconds: 3_600 }, context);
        const remaining: number[] = [];
        for (const secret of [api_key, key?.api_key]) {
            remaining.push((await admit(secret ?? '')).decision.remaining);
        }
        assert.deepEqual(remaining, [FREE_LIMIT - 1, FREE_LIMIT - 2]);
    });
});
