import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { openRedis, shardTag } from '../../../platform/redis/redis.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { findDrift } from '../../../services/counts/drift.store.ts';
import { quiet } from '../../support/context.ts';
import { testContext } from '../../support/harness.ts';
import { kind } from '../identity/identity.fixture.ts';
import { buildKeys, keysFixture, SHARDS } from './keys.fixture.ts';

const { db, redis, authenticate, activeByDeltas } = await keysFixture();
const clock = { now: Date.now() };
const keys = buildKeys({ db, redis, clock: () => clock.now });
const full = { free: 1, basic: 1, pro: 1, enterprise: 1 };
const inMs = (ms: number): string => new Date(clock.now + ms).toISOString();
const markOf = (userId: string | undefined, keyId: string) =>
    redis.get(livenessMarkKey(shardTag(userId ?? '', SHARDS), 'key', keyId));

describe('a rotation', () => {
    test('makes a key that is like the old one, and both work until the old one ends', async () => {
        const context = testContext();
        const restrictions = {
            scopes: ['dids:read'],
            allowed_addresses: ['10.0.0.0/8'],
            expires_at: inMs(1_000_000_000),
        };
        const old = await keys.generate({ name: 'a', tier: 'pro', ...restrictions }, context);
        const { key, replaces } = await keys.rotate({ key_id: old.key_id, overlap_seconds: 3_600 }, context);
        assert.ok(key);
        const { key_id, api_key, created_at, ...like } = key;
        assert.deepEqual(like, { name: 'a', tier: 'pro', rate_limit: RATE_LIMITS.pro, ...restrictions });
        assert.notEqual(key_id, old.key_id);
        assert.deepEqual(replaces, { key_id: old.key_id, expires_at: inMs(3_600_000) });
        const [now, before] = [await authenticate(api_key), await authenticate(old.api_key)];
        assert.deepEqual([now.alive, now.version, before.alive, before.version], [true, 0, true, 1]);
        assert.equal(before.expires_at_ms, clock.now + 3_600_000);
        assert.equal(await markOf(context.user_id, old.key_id), 'S1');
        const shown = await keys.get({ key_id: old.key_id }, context);
        assert.deepEqual([shown.active, shown.replaced_by], [true, key_id]);
    });

    test('overlaps for a day if nothing else is said, and never prolongs the old key', async () => {
        const context = testContext();
        const first = await keys.generate({ name: 'a' }, context);
        const { replaces } = await keys.rotate({ key_id: first.key_id }, context);
        assert.equal(replaces?.expires_at, inMs(86_400_000));
        const ending = await keys.generate({ name: 'b', expires_at: inMs(5_000) }, context);
        const second = await keys.rotate({ key_id: ending.key_id, overlap_seconds: 2_592_000 }, context);
        assert.equal(second.replaces?.expires_at, inMs(5_000));
    });

    test('without an overlap revokes the old key at once', async () => {
        const context = testContext();
        const { key_id, api_key } = await keys.generate({ name: 'a' }, context);
        const { key, replaces } = await keys.rotate({ key_id, overlap_seconds: 0 }, context);
        assert.deepEqual([(await authenticate(api_key)).alive, await markOf(context.user_id, key_id)], [false, 'S1']);
        assert.equal(replaces?.expires_at, inMs(0));
        assert.equal((await keys.revoke({ key_id }, context)).revoked_at, inMs(0));
        assert.deepEqual([(await keys.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
        assert.equal((await authenticate(key?.api_key ?? '')).alive, true);
    });

    test('takes the place of the old key, so an account at its limit can rotate, and gains no place', async () => {
        const atLimit = buildKeys({ db, redis, clock: () => clock.now }, { keyLimits: full });
        const context = testContext();
        const first = await atLimit.generate({ name: 'a' }, context);
        const { key } = await atLimit.rotate({ key_id: first.key_id }, context);
        await assert.rejects(atLimit.generate({ name: 'b' }, context), kind('forbidden'));
        await atLimit.revoke({ key_id: first.key_id }, context);
        await assert.rejects(atLimit.generate({ name: 'b' }, context), kind('forbidden'));
        await atLimit.revoke({ key_id: key?.key_id ?? '' }, context);
        await atLimit.generate({ name: 'b' }, context);
        assert.deepEqual([(await atLimit.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
    });

    test('ends the key that the old one has replaced, at once and on every gateway', async () => {
        const context = testContext();
        const first = await keys.generate({ name: 'a' }, context);
        const { key: second } = await keys.rotate({ key_id: first.key_id, overlap_seconds: 3_600 }, context);
        await keys.rotate({ key_id: second?.key_id ?? '', overlap_seconds: 3_600 }, context);
        const shown = await keys.get({ key_id: first.key_id }, context);
        assert.deepEqual([shown.active, await markOf(context.user_id, first.key_id)], [false, 'S2']);
        assert.equal((await authenticate(first.api_key)).alive, false);
        assert.equal((await keys.revoke({ key_id: first.key_id }, context)).revoked_at, inMs(0));
        assert.equal((await authenticate(second?.api_key ?? '')).alive, true);
        assert.deepEqual([(await keys.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
        assert.deepEqual(await findDrift(() => [db]), []);
    });

    test('counts against the quota of all keys', async () => {
        const few = buildKeys({ db, redis, clock: () => clock.now }, { keyQuota: full });
        const context = testContext();
        const { key_id, api_key } = await few.generate({ name: 'a' }, context);
        await assert.rejects(few.rotate({ key_id }, context), kind('forbidden'));
        assert.equal((await authenticate(api_key)).version, 0);
    });

    test('of a revoked, expired or replaced key is a conflict, and of an unknown or foreign key not found', async () => {
        const context = testContext();
        const revoked = await keys.generate({ name: 'a' }, context);
        await keys.revoke({ key_id: revoked.key_id }, context);
        const replaced = await keys.generate({ name: 'a' }, context);
        await keys.rotate({ key_id: replaced.key_id }, context);
        const expired = await keys.generate({ name: 'a', expires_at: inMs(1) }, context);
        clock.now += 1;
        for (const { key_id } of [revoked, replaced, expired]) {
            await assert.rejects(keys.rotate({ key_id }, context), kind('conflict'));
        }
        const { key_id } = await keys.generate({ name: 'a' }, context);
        await assert.rejects(keys.rotate({ key_id }, testContext()), kind('not_found'));
        await assert.rejects(keys.rotate({ key_id: 'x' }, context), kind('not_found'));
        await assert.rejects(keys.rotate({ key_id, overlap_seconds: 2_592_001 }, context), kind('invalid'));
    });

    test('that many ask for at once happens once', async () => {
        const context = testContext();
        const { key_id } = await keys.generate({ name: 'a' }, context);
        const made = await Promise.allSettled(Array.from({ length: 20 }, () => keys.rotate({ key_id }, context)));
        assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
        assert.equal((await keys.list({ limit: 10, with_total: true }, context)).total, 2);
    });

    test('without Redis happens if every gateway asks again before the old key ends, and else changes nothing', async (t) => {
        const away = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
        t.after(() => away.disconnect());
        const cutOff = buildKeys({ db, redis: away, clock: () => clock.now });
        const context = testContext();
        const { key_id, api_key } = await keys.generate({ name: 'a' }, context);
        for (const overlapSeconds of [0, 1, 60]) {
            await assert.rejects(
                cutOff.rotate({ key_id, overlap_seconds: overlapSeconds }, context),
                kind('unavailable'),
            );
        }
        const { alive, version } = await authenticate(api_key);
        assert.deepEqual([alive, version, (await keys.getQuotas({}, context)).all?.used], [true, 0, 1]);
        const { key } = await cutOff.rotate({ key_id, overlap_seconds: 61 }, context);
        assert.equal((await keys.getQuotas({}, context)).all?.used, 2);
        // The first key would end at once, which the gateways could not know.
        await assert.rejects(
            cutOff.rotate({ key_id: key?.key_id ?? '', overlap_seconds: 61 }, context),
            kind('unavailable'),
        );
        assert.equal((await authenticate(api_key)).alive, true);
        assert.equal((await keys.getQuotas({}, context)).all?.used, 2);
    });
});

test('a replaced key can end earlier than its rotation has said, but not later', async () => {
    const context = testContext();
    const { key_id } = await keys.generate({ name: 'a' }, context);
    await keys.rotate({ key_id, overlap_seconds: 100 }, context);
    for (const change of [{ clear_expires_at: true }, { expires_at: inMs(100_001) }]) {
        await assert.rejects(keys.restrict({ key_id, ...change }, context), kind('conflict'));
    }
    assert.equal((await keys.restrict({ key_id, expires_at: inMs(50_000) }, context)).expires_at, inMs(50_000));
    assert.deepEqual((await keys.restrict({ key_id, scopes: ['dids:read'] }, context)).scopes, ['dids:read']);
});

test('a replaced key can be changed in an account at its limit, and takes no place', async () => {
    const atLimit = buildKeys({ db, redis, clock: () => clock.now }, { keyLimits: full });
    const context = testContext();
    const { key_id } = await atLimit.generate({ name: 'a' }, context);
    await atLimit.rotate({ key_id, overlap_seconds: 100 }, context);
    assert.deepEqual((await atLimit.restrict({ key_id, scopes: ['dids:read'] }, context)).scopes, ['dids:read']);
    await atLimit.restrict({ key_id, expires_at: inMs(50_000), name: 'b' }, context);
    assert.deepEqual([(await atLimit.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
    clock.now += 50_000;
    await atLimit.restrict({ key_id, allowed_addresses: ['10.0.0.0/8'] }, context);
    assert.equal((await atLimit.get({ key_id }, context)).active, false);
    assert.deepEqual([(await atLimit.getQuotas({}, context)).active?.used, await activeByDeltas(context)], [1, 1]);
});
