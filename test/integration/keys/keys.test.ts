import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { livenessMarkKey } from '../../../platform/access/liveness-marks.ts';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { testContext } from '../../support/harness.ts';
import { kind } from '../identity/identity.fixture.ts';
import { keysFixture, POLICY, SHARDS } from './keys.fixture.ts';

const { db, redis, build, keys, authenticate, activeByDeltas } = await keysFixture();

test('a new key authenticates as its account, with its own tier and limit', async () => {
    const context = testContext({ tier: 'basic' });
    const inherited = await keys.generate({ name: ' Build server ' }, context);
    assert.equal(inherited.name, 'Build server');
    assert.equal(inherited.tier, 'basic');
    assert.equal(inherited.rate_limit, RATE_LIMITS.basic);
    const raised = await keys.generate({ name: 'a', tier: 'enterprise' }, context);
    assert.deepEqual(await authenticate(raised.api_key), {
        alive: true,
        key_id: raised.key_id,
        user_id: context.user_id,
        tier: 'enterprise',
        rate_limit: RATE_LIMITS.enterprise,
        expires_at_ms: undefined,
        scope_mask: undefined,
        allowed_addresses: [],
        version: 0,
        bucket: raised.key_id,
        gone: false,
        suspended: false,
    });
});

test('only the hash and the mask of a key are stored', async () => {
    const { api_key, key_id } = await keys.generate({ name: 'a' }, testContext());
    const [row] = await db.rows(
        sql.type(
            z.strictObject({ hash: z.instanceof(Buffer), row: z.string() }),
        )`SELECT hash, keys::text AS row FROM keys.keys WHERE key_id = ${key_id}`,
    );
    assert.deepEqual(row?.hash, createHash('sha256').update(api_key).digest());
    assert.ok(!row.row.includes(api_key.slice('cred_test_'.length + 4, -4)));
});

test('an unknown tier and a blank, overlong or unstorable name are refused', async () => {
    const context = testContext();
    const refused = [
        { name: 'a', tier: 'Enterprise' },
        { name: 'a', tier: '' },
        { name: ' ' },
        { name: 'x'.repeat(256) },
        { name: 'a\0b' },
        { name: '\ud800' },
    ];
    for (const request of refused) await assert.rejects(keys.generate(request, context), kind('invalid'));
    await keys.generate({ name: '🗝'.repeat(255) }, context);
});

test('with the tier policy cap, a key cannot have a higher tier than its account', async () => {
    const capped = build({ tierPolicy: 'cap' });
    const context = testContext({ tier: 'basic' });
    await assert.rejects(capped.generate({ name: 'a', tier: 'pro' }, context), (error: Error) => {
        return kind('forbidden')(error) && /basic/.test(error.message);
    });
    await assert.rejects(capped.generate({ name: 'a', tier: 'none' }, context), kind('invalid'));
    await capped.generate({ name: 'a', tier: 'basic' }, context);
    await capped.generate({ name: 'a', tier: 'free' }, context);
});

test('an account that requests fifty keys at once gets as many as its limit, and each of them counts', async () => {
    const context = testContext({ tier: 'free' });
    const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => keys.generate({ name: `key ${index}` }, context)),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 30);
    assert.ok(refused.every(({ reason }) => kind('forbidden')(reason)));
    assert.equal((await keys.list({ limit: 1_000, with_total: true }, context)).total, 20);
    assert.equal(await activeByDeltas(context), 20);
});

test('the tier of the account sets the limit of keys, whatever tier its keys have', async () => {
    const small = build({ keyLimits: { ...POLICY.keyLimits, free: 1, enterprise: 2 } });
    const free = testContext({ tier: 'free' });
    await small.generate({ name: 'a', tier: 'enterprise' }, free);
    await assert.rejects(small.generate({ name: 'b', tier: 'enterprise' }, free), kind('forbidden'));
    const enterprise = testContext({ tier: 'enterprise' });
    await small.generate({ name: 'a', tier: 'free' }, enterprise);
    await small.generate({ name: 'b', tier: 'free' }, enterprise);
    await assert.rejects(small.generate({ name: 'c', tier: 'free' }, enterprise), kind('forbidden'));
});

test('a revoked key makes room for another one', async () => {
    const context = testContext();
    const small = build({ keyLimits: { ...POLICY.keyLimits, free: 1 } });
    const { key_id } = await small.generate({ name: 'a' }, context);
    await assert.rejects(small.generate({ name: 'b' }, context), kind('forbidden'));
    await small.revoke({ key_id }, context);
    await small.revoke({ key_id }, context);
    await small.generate({ name: 'b' }, context);
    await assert.rejects(small.generate({ name: 'c' }, context), kind('forbidden'));
    assert.equal(await activeByDeltas(context), 1);
});

test('a revoked key does not authenticate, has a refused mark for the gateways, and stays listed', async () => {
    const context = testContext();
    const { api_key, key_id } = await keys.generate({ name: 'a' }, context);
    assert.equal((await authenticate(api_key)).alive, true);
    await keys.revoke({ key_id }, context);
    assert.equal((await authenticate(api_key)).alive, false);
    assert.equal(await redis.get(livenessMarkKey(shardTag(context.user_id ?? '', SHARDS), 'key', key_id)), 'R');
    assert.equal((await keys.get({ key_id }, context)).active, false);
    const { keys: listed, total } = await keys.list({ limit: 10, with_total: true }, context);
    assert.deepEqual([listed[0]?.active, total], [false, 1]);
});

test('fifty concurrent revocations all return the time of the first one, and make room for one key', async () => {
    const context = testContext();
    const { key_id } = await keys.generate({ name: 'a' }, context);
    const answers = await Promise.all(Array.from({ length: 50 }, () => keys.revoke({ key_id }, context)));
    answers.push(await keys.revoke({ key_id }, context));
    assert.equal(new Set(answers.map(({ revoked_at }) => revoked_at)).size, 1);
    assert.equal(await activeByDeltas(context), 0);
});

test('a key of another account and an unknown or malformed id are not found, and the key stays active', async () => {
    const owner = testContext();
    const otherAccount = testContext();
    const { api_key, key_id } = await keys.generate({ name: 'a' }, owner);
    for (const [id, context] of [
        [key_id, otherAccount],
        [key_id.toUpperCase(), owner],
        [newId(), owner],
        ["x' OR true", owner],
    ] as const) {
        await assert.rejects(keys.get({ key_id: id }, context), kind('not_found'));
        await assert.rejects(keys.revoke({ key_id: id }, context), kind('not_found'));
        await assert.rejects(keys.rename({ key_id: id, name: 'b' }, context), kind('not_found'));
        await assert.rejects(keys.rename({ key_id: id }, context), kind('not_found'));
    }
    assert.equal((await authenticate(api_key)).alive, true);
    assert.equal((await keys.get({ key_id }, owner)).name, 'a');
    assert.deepEqual(await keys.list({ limit: 10, with_total: true }, otherAccount), {
        keys: [],
        next_cursor: undefined,
        total: 0,
    });
});

test('a new name is stored, for a revoked key too, and a call without a name changes nothing', async () => {
    const context = testContext();
    const { key_id, created_at } = await keys.generate({ name: 'a' }, context);
    const { name: unchanged, updated_at } = await keys.rename({ key_id }, context);
    assert.deepEqual([unchanged, updated_at], ['a', created_at]);
    await keys.revoke({ key_id }, context);
    const renamed = await keys.rename({ key_id, name: ' b ' }, context);
    assert.equal(renamed.name, 'b');
    assert.ok(renamed.updated_at >= created_at);
    await assert.rejects(keys.rename({ key_id, name: ' ' }, context), kind('invalid'));
    const { name, active } = await keys.get({ key_id }, context);
    assert.deepEqual([name, active], ['b', false]);
});

test('a repeated change gets the answer of the first one', async () => {
    const context = testContext();
    let now = Date.now();
    const keys = build({}, () => now);
    const { key_id } = await keys.generate({ name: 'a' }, context);
    for (const change of [
        () => keys.rename({ key_id, name: 'b' }, context),
        () => keys.restrict({ key_id, name: 'c', scopes: ['dids:read'] }, context),
        () => keys.restrict({ key_id, allowed_addresses: ['10.0.0.0/8'] }, context),
        () => keys.restrict({ key_id, clear_scopes: true }, context),
    ]) {
        now += 1_000;
        const first = await change();
        assert.equal(first.updated_at, new Date(now).toISOString());
        now += 1_000;
        assert.deepEqual(await change(), first);
    }
});

test('two concurrent renames each return their own name, and one of the names is stored', async () => {
    const context = testContext();
    const { key_id } = await keys.generate({ name: 'a' }, context);
    const names = await Promise.all(
        ['b', 'c'].map(async (name) => (await keys.rename({ key_id, name }, context)).name),
    );
    assert.deepEqual(names, ['b', 'c']);
    assert.ok(names.includes((await keys.get({ key_id }, context)).name));
});

test('a call without an account cannot manage keys', async () => {
    const nobody = testContext({ user_id: undefined, trusted: true });
    await assert.rejects(keys.generate({ name: 'a' }, nobody), kind('unauthenticated'));
    await assert.rejects(keys.list({ limit: 10, with_total: true }, nobody), kind('unauthenticated'));
});

test('an unknown hash and a hash of another length do not authenticate, even beside one that does', async () => {
    const { api_key, key_id } = await keys.generate({ name: 'a' }, testContext());
    const [known, unknown, short] = await Promise.all([
        authenticate(api_key),
        keys.authenticate({ hash: Buffer.alloc(32) }, testContext()),
        keys.authenticate({ hash: Buffer.alloc(31) }, testContext()),
    ]);
    assert.equal(known.key_id, key_id);
    assert.deepEqual([unknown.alive, short.alive], [false, false]);
});
