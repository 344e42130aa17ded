import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { parseApiKey } from '../../../platform/access/api-key.ts';
import { livenessMarkKey, livenessMarks } from '../../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../../platform/context.ts';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { shardTag } from '../../../platform/redis/redis.ts';
import { cursors } from '../../../services/cursors.ts';
import { type KeyPolicy, keysService } from '../../../services/keys/service.ts';
import { keyStore } from '../../../services/keys/store.ts';
import { testContext, testDatabase, testRedis } from '../../support/harness.ts';

const SHARDS = 4;
const { db } = await testDatabase();
const redis = await testRedis();
const policy: KeyPolicy = {
    brand: 'cred',
    environment: 'test',
    tier_policy: 'any',
    key_limits: { free: 20, basic: 50, pro: 200, enterprise: 1_000 },
    key_quota: { free: 1_000, basic: 1_000, pro: 1_000, enterprise: 1_000 },
};
const build = (changed: Partial<KeyPolicy> = {}) =>
    keysService({
        store: keyStore(db),
        livenessMarks: livenessMarks({ redis, shards: SHARDS }),
        cursors: cursors(['the service token of these tests']),
        policy: { ...policy, ...changed },
        clock: Date.now,
    });
const keys = build();

const kind = (expected: string) => (error: unknown) =>
    Error.isError(error) && 'kind' in error && error.kind === expected;

async function authenticate(api_key: string) {
    const parsed = parseApiKey(api_key, policy);
    assert.ok(parsed);
    return keys.authenticate(parsed, testContext({ user_id: undefined }));
}

async function activeByDeltas(context: CallContext): Promise<number | null> {
    const [row] = await db.rows<{ active: string | null }>(sql.unsafe`
        SELECT sum(amount)::text AS active FROM usage.deltas
        WHERE account = ${context.user_id ?? null} AND kind = 'api_keys_active'`);
    return row?.active ? Number(row.active) : null;
}

test('a new key authenticates as its account, at its own tier and limit', async () => {
    const context = testContext({ tier: 'basic' });
    const inherited = await keys.generate({ name: ' Build server ' }, context);
    assert.equal(inherited.name, 'Build server');
    assert.equal(inherited.tier, 'basic');
    assert.equal(inherited.rate_limit, 100);
    const raised = await keys.generate({ name: 'a', tier: 'enterprise' }, context);
    assert.deepEqual(await authenticate(raised.api_key), {
        alive: true,
        key_id: raised.key_id,
        user_id: context.user_id,
        tier: 'enterprise',
        rate_limit: 10_000,
    });
});

test('of a key only its hash and its mask are stored', async () => {
    const { api_key, key_id } = await keys.generate({ name: 'a' }, testContext());
    const [row] = await db.rows<{ hash: Buffer; row: string }>(
        sql.unsafe`SELECT hash, keys::text AS row FROM keys.keys WHERE key_id = ${key_id}`,
    );
    assert.deepEqual(row?.hash, createHash('sha256').update(api_key).digest());
    assert.ok(!row.row.includes(api_key.slice('cred_test_'.length + 4, -4)));
});

test('a key of no known tier and a blank, long or unstorable name are refused', async () => {
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

test('under the policy cap a key stands at most at the tier of its account', async () => {
    const capped = build({ tier_policy: 'cap' });
    const context = testContext({ tier: 'basic' });
    await assert.rejects(capped.generate({ name: 'a', tier: 'pro' }, context), (error: Error) => {
        return kind('forbidden')(error) && /basic/.test(error.message);
    });
    await assert.rejects(capped.generate({ name: 'a', tier: 'none' }, context), kind('invalid'));
    await capped.generate({ name: 'a', tier: 'basic' }, context);
    await capped.generate({ name: 'a', tier: 'free' }, context);
});

test('of fifty keys asked for at once an account gets as many as its limit, and each one counts', async () => {
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

test('the limit of keys is that of the account’s tier, whatever tier its keys have', async () => {
    const small = build({ key_limits: { ...policy.key_limits, free: 1, enterprise: 2 } });
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
    const small = build({ key_limits: { ...policy.key_limits, free: 1 } });
    const { key_id } = await small.generate({ name: 'a' }, context);
    await assert.rejects(small.generate({ name: 'b' }, context), kind('forbidden'));
    await small.revoke({ key_id }, context);
    await small.revoke({ key_id }, context);
    await small.generate({ name: 'b' }, context);
    await assert.rejects(small.generate({ name: 'c' }, context), kind('forbidden'));
    assert.equal(await activeByDeltas(context), 1);
});

test('a revoked key does not authenticate, is marked for the gateways, and stays to be seen', async () => {
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

test('fifty revocations at once answer one time, the first, and free one place', async () => {
    const context = testContext();
    const { key_id } = await keys.generate({ name: 'a' }, context);
    const answers = await Promise.all(Array.from({ length: 50 }, () => keys.revoke({ key_id }, context)));
    answers.push(await keys.revoke({ key_id }, context));
    assert.equal(new Set(answers.map(({ revoked_at }) => revoked_at)).size, 1);
    assert.equal(await activeByDeltas(context), 0);
});

test("somebody else's key, an unknown and a malformed id are not found, and the key lives on", async () => {
    const owner = testContext();
    const unknownCaller = testContext();
    const { api_key, key_id } = await keys.generate({ name: 'a' }, owner);
    for (const [id, context] of [
        [key_id, unknownCaller],
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
    assert.deepEqual(await keys.list({ limit: 10, with_total: true }, unknownCaller), {
        keys: [],
        next_cursor: undefined,
        total: 0,
    });
});

test('a new name is kept, of a revoked key too, and no name changes nothing', async () => {
    const context = testContext();
    const { key_id, created_at } = await keys.generate({ name: 'a' }, context);
    assert.deepEqual(await keys.rename({ key_id }, context), { key_id, name: 'a', updated_at: created_at });
    await keys.revoke({ key_id }, context);
    const renamed = await keys.rename({ key_id, name: ' b ' }, context);
    assert.equal(renamed.name, 'b');
    assert.ok(renamed.updated_at >= created_at);
    await assert.rejects(keys.rename({ key_id, name: ' ' }, context), kind('invalid'));
    const { name, active } = await keys.get({ key_id }, context);
    assert.deepEqual([name, active], ['b', false]);
});

test('of two renames at once both answers are truthful and one of the names stays', async () => {
    const context = testContext();
    const { key_id } = await keys.generate({ name: 'a' }, context);
    const names = await Promise.all(
        ['b', 'c'].map(async (name) => (await keys.rename({ key_id, name }, context)).name),
    );
    assert.deepEqual(names, ['b', 'c']);
    assert.ok(names.includes((await keys.get({ key_id }, context)).name));
});

test('pages follow each other newest first, without gap or repeat, while keys are added', async () => {
    const context = testContext();
    const made: string[] = [];
    for (let index = 0; index < 7; index++) made.push((await keys.generate({ name: 'a' }, context)).key_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    const totals: Array<number | undefined> = [];
    do {
        const page = await keys.list({ limit: 3, cursor, with_total: true }, context);
        seen.push(...page.keys.map(({ key_id }) => key_id));
        totals.push(page.total);
        cursor = page.next_cursor;
        await keys.generate({ name: 'newer' }, context);
    } while (cursor !== undefined);
    assert.deepEqual(seen, made.toReversed());
    assert.deepEqual(totals, [7, 8, 9]);
});

test('a page that ends with the last key has no next one', async () => {
    const context = testContext();
    for (let index = 0; index < 3; index++) await keys.generate({ name: 'a' }, context);
    const page = await keys.list({ limit: 3, with_total: false }, context);
    assert.deepEqual([page.keys.length, page.next_cursor, page.total], [3, undefined, undefined]);
});

test('a cursor of another kind and a limit out of bounds are refused', async () => {
    const context = testContext();
    await assert.rejects(keys.list({ limit: 10, cursor: 'x', with_total: false }, context), kind('invalid'));
    for (const limit of [0, 1_001]) {
        await assert.rejects(keys.list({ limit, with_total: false }, context), kind('invalid'));
    }
});

test('a call without an account manages no keys', async () => {
    const nobody = testContext({ user_id: undefined, trusted: true });
    await assert.rejects(keys.generate({ name: 'a' }, nobody), kind('unauthenticated'));
    await assert.rejects(keys.list({ limit: 10, with_total: true }, nobody), kind('unauthenticated'));
});

test('an unknown hash and one of another length authenticate nobody, beside one that does', async () => {
    const { api_key, key_id } = await keys.generate({ name: 'a' }, testContext());
    const [known, unknown, short] = await Promise.all([
        authenticate(api_key),
        keys.authenticate({ hash: Buffer.alloc(32) }, testContext()),
        keys.authenticate({ hash: Buffer.alloc(31) }, testContext()),
    ]);
    assert.equal(known.key_id, key_id);
    assert.deepEqual([unknown.alive, short.alive], [false, false]);
});
