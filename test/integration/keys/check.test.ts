import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeApiKey } from '../../../platform/access/api-key.ts';
import { keyBucket } from '../../../platform/access/buckets.ts';
import { openRedis, shardTag } from '../../../platform/redis/redis.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { quiet } from '../../support/context.ts';
import { testContext } from '../../support/harness.ts';
import { testLimiter, UNCOUNTED } from '../../support/test-redis.ts';
import { kind } from '../identity/identity.fixture.ts';
import { buildKeys, keysFixture, POLICY, SHARDS } from './keys.fixture.ts';

const { db, redis } = await keysFixture();
const FREE = RATE_LIMITS.free;
const clock = { now: Date.now() };
const keys = buildKeys({ db, redis, clock: () => clock.now });
const caller = testContext({ user_id: undefined, address: '10.0.0.1' });
const codeOf = async (request: Parameters<typeof keys.check>[0]) => (await keys.check(request, caller)).code;

describe('a check of a key', () => {
    test('says whose key it is and what it may do, and counts the call where gateways count the key’s calls', async () => {
        const owner = testContext();
        const { key_id, api_key } = await keys.generate({ name: 'a', tier: 'free', scopes: ['dids:*'] }, owner);
        const { reset, ...answer } = await keys.check({ api_key, scope: 'dids:read', cost: 3 }, caller);
        const known = { key_id, user_id: owner.user_id, tier: 'free', scopes: ['dids:*'] };
        assert.deepEqual(answer, { valid: true, code: 'valid', ...known, limit: FREE, remaining: FREE - 3 });
        assert.ok((reset ?? 0) > Date.now() / 1_000);
        const account = owner.user_id ?? '';
        const tag = shardTag(account, SHARDS);
        const byGateway = await testLimiter({ redis }).take({
            tag,
            bucket: keyBucket(tag, account, key_id),
            limit: FREE,
        });
        assert.equal(byGateway.remaining, FREE - 4);
        assert.deepEqual(
            await keys
                .check({ api_key, cost: FREE - 3 }, caller)
                .then(({ valid, code, remaining }) => [valid, code, remaining]),
            [false, 'rate_limited', FREE - 4],
        );
        assert.equal((await keys.check({ api_key, cost: 0 }, caller)).remaining, FREE - 4);
    });

    test('of no cost leaves no trace: it opens no window, and is no use of the key', async () => {
        const counted: unknown[] = [];
        const requestCounts = {
            ...UNCOUNTED,
            admitted: (caller: object, requests: number) => counted.push([caller, requests]),
            refused: (caller: object) => counted.push([caller]),
        };
        const { check } = buildKeys({ db, redis, requestCounts });
        const owner = testContext();
        const { key_id, api_key } = await keys.generate({ name: 'a', tier: 'free' }, owner);
        const bucket = keyBucket(shardTag(owner.user_id ?? '', SHARDS), owner.user_id ?? '', key_id);
        for (let look = 0; look < 2; look++) {
            const { valid, remaining } = await check({ api_key, cost: 0 }, caller);
            assert.deepEqual([valid, remaining], [true, FREE]);
        }
        assert.deepEqual([await redis.exists(bucket), counted], [0, []]);
        for (const cost of [FREE - 1, 2]) await check({ api_key, cost }, caller);
        assert.deepEqual(
            counted.map((count) => (count as unknown[]).slice(1)),
            [[FREE - 1], []],
        );
    });

    test('says why a key is not valid, and does not charge it', async () => {
        const owner = testContext();
        const restrictions = {
            scopes: ['dids:read'],
            allowed_addresses: ['10.0.0.0/8'],
            expires_at: new Date(clock.now + 1_000).toISOString(),
        };
        const { key_id, api_key } = await keys.generate({ name: 'a', tier: 'free', ...restrictions }, owner);
        assert.equal(await codeOf({ api_key, scope: 'dids:create' }), 'missing_scope');
        assert.equal(await codeOf({ api_key, scope: 'dids:read', address: '11.0.0.1' }), 'address_not_allowed');
        assert.equal(await codeOf({ api_key, scope: 'dids:read', address: 'unknown' }), 'address_not_allowed');
        assert.equal((await keys.check({ api_key, address: '::ffff:10.9.9.9' }, caller)).remaining, FREE - 1);
        clock.now += 1_000;
        assert.equal(await codeOf({ api_key }), 'expired');
        await keys.revoke({ key_id }, owner);
        const { valid, code, key_id: named, remaining } = await keys.check({ api_key }, caller);
        assert.deepEqual([valid, code, named, remaining], [false, 'revoked', key_id, undefined]);
        for (const unknown of ['', 'x', makeApiKey(POLICY).api_key, `${api_key}x`]) {
            const answer = await keys.check({ api_key: unknown }, caller);
            assert.deepEqual(answer, { valid: false, code: 'not_found', scopes: [] });
        }
    });

    test('with a cost over 1,000 or an unknown scope is refused', async () => {
        const { api_key } = await keys.generate({ name: 'a' }, testContext());
        await assert.rejects(keys.check({ api_key, cost: 1_001 }, caller), kind('invalid'));
        for (const scope of ['dids:*', 'everything', '']) {
            await assert.rejects(keys.check({ api_key, scope }, caller), (error: Error) => {
                return kind('invalid')(error) && /must be one of credentials:issue, /.test(error.message);
            });
        }
    });

    test('without Redis is answered, and counted in this process', async (t) => {
        const away = openRedis({ url: 'redis://127.0.0.1:1', log: quiet });
        t.after(() => away.disconnect());
        const cutOff = buildKeys({ db, redis: away });
        const { api_key } = await keys.generate({ name: 'a', tier: 'free' }, testContext());
        const codes = [];
        for (let call = 0; call < 3; call++) codes.push((await cutOff.check({ api_key, cost: 5 }, caller)).code);
        assert.deepEqual(codes, ['valid', 'valid', 'rate_limited']);
    });
});
