import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { database } from '../support/database.ts';
import { usedKey } from '../support/usage.ts';
import { type Account, newAccount, newKey } from '../support/world.ts';

const db = await database('identity');
const account = await newAccount();
const otherCaller = await newAccount();

const as = ({ token }: Account, call: Call): Call => ({ token, ...call });
const generate = (owner: Account, body: unknown, gateway = 0): Call =>
    as(owner, { method: 'POST', path: '/v1/keys/generate', body, gateway });
const get = (owner: Account, keyId: string, gateway = 0): Call => as(owner, { path: `/v1/keys/${keyId}`, gateway });
const rename = (owner: Account, keyId: string, body: unknown): Call =>
    as(owner, { method: 'PATCH', path: `/v1/keys/${keyId}`, body });
const revoke = (owner: Account, keyId: string, gateway = 0): Call =>
    as(owner, { method: 'DELETE', path: `/v1/keys/${keyId}`, gateway });
const list = (owner: Account): Call => as(owner, { path: '/v1/keys', gateway: 1 });
const use = (token: string, gateway = 0): Call => ({ method: 'POST', path: '/v1/did', token, gateway });

describe('a new key', () => {
    for (const tier of [undefined, null, 'free', 'basic', 'pro', 'enterprise'] as const) {
        it(`of tier ${tier} has the limit of its tier, and is shown in full only once`, async () => {
            const { api_key, ...key } = await expectOk(201, generate(account, { name: ' build server ', tier }));
            const expected = tier ?? 'free';
            const { key_id, created_at } = key;
            assert.deepEqual(key, {
                key_id,
                name: 'build server',
                tier: expected,
                rate_limit: RATE_LIMITS[expected],
                created_at,
                last_used_at: null,
            });
            const { usage, ...detail } = await expectOk(200, get(account, key_id, 1));
            const keyPrefix = `${api_key.slice(0, -28)}...${api_key.slice(-4)}`;
            assert.deepEqual(detail, { ...key, key_prefix: keyPrefix, active: true });
            assert.deepEqual(usage, { requests_today: 0, requests_this_month: 0 });
            const { keys } = await expectOk(200, list(account));
            assert.deepEqual(keys[0], detail);
            assert.ok(!JSON.stringify([usage, keys]).includes(api_key));
        });
    }

    it('has the tier of its account by default', async () => {
        const richer = await newAccount();
        await db.query(`UPDATE identity.users SET tier = 'pro' WHERE user_id = $1`, [richer.user_id]);
        const { tier, rate_limit } = await expectOk(201, generate(richer, { name: 'key' }));
        assert.deepEqual([tier, rate_limit], ['pro', RATE_LIMITS.pro]);
    });

    const bad: Record<string, unknown> = {
        'no body': undefined,
        'an empty object': {},
        'an array': [],
        'a null name': { name: null },
        'a number as name': { name: 5 },
        'an empty name': { name: '' },
        'a blank name': { name: '   ' },
        'a name of 256 characters': { name: 'x'.repeat(256) },
        'a name of 10,000 characters': { name: 'x'.repeat(10_000) },
        'an array as name': { name: ['x'] },
        'a name with NUL': { name: 'a\u0000b' },
        'a name with a lone surrogate': '{"name":"a\\ud800"}',
        'an unknown tier': { name: 'key', tier: 'gold' },
        'a tier in capitals': { name: 'key', tier: 'FREE' },
        'an empty tier': { name: 'key', tier: '' },
        'a number as tier': { name: 'key', tier: 1 },
        'a property of every object as tier': { name: 'key', tier: 'constructor' },
        'an array as tier': { name: 'key', tier: ['free'] },
    };
    for (const [name, body] of Object.entries(bad)) {
        it(`is refused with 400 for ${name}`, async () => {
            const owner = await newAccount();
            await expectError(400, generate(owner, body));
            assert.deepEqual(await expectOk(200, list(owner)), { keys: [], total: 0 });
        });
    }

    it('ignores fields that a client cannot set', async () => {
        const body = {
            name: 'key',
            key_id: 'mine',
            api_key: 'mine',
            rate_limit: 9,
            active: false,
            user_id: otherCaller.user_id,
        };
        const key = await expectOk(201, generate(account, body));
        assert.equal(key.rate_limit, RATE_LIMITS.free);
        assert.notEqual(key.api_key, 'mine');
        assert.equal((await expectOk(200, get(account, key.key_id))).active, true);
    });
});

describe('use of a key', () => {
    it('appears in its last_used_at and its counts, on both gateways', async () => {
        const { key_id, api_key } = await newKey(account);
        const before = Date.now();
        for (let call = 0; call < 3; call++) await expectOk(201, use(api_key, call % 2));
        for (const gateway of [0, 1]) {
            const { last_used_at, usage } = await usedKey(account, key_id, 3, gateway);
            assert.ok(Math.abs(Date.parse(last_used_at) - before) < 60_000);
            assert.equal(new Date(last_used_at).toISOString(), last_used_at);
            assert.deepEqual(usage, { requests_today: 3, requests_this_month: 3 });
        }
        const { keys } = await expectOk(200, list(account));
        assert.notEqual(keys.find((key: { key_id: string }) => key.key_id === key_id).last_used_at, null);
    });
});

describe('a renamed key', () => {
    it('has the new name everywhere, and still works', async () => {
        const { key_id, api_key } = await newKey(account);
        const { updated_at, ...data } = await expectOk(200, rename(account, key_id, { name: ' new ' }));
        assert.deepEqual(data, { key_id, name: 'new' });
        assert.equal(new Date(updated_at).toISOString(), updated_at);
        assert.equal((await expectOk(200, get(account, key_id, 1))).name, 'new');
        await expectOk(201, use(api_key));
    });

    it('keeps its name if none is sent, and ignores all other fields', async () => {
        const { key_id } = await newKey(account, 'free');
        for (const body of [undefined, {}, { name: null }, { tier: 'enterprise', rate_limit: 9_999, active: false }]) {
            const { name } = await expectOk(200, rename(account, key_id, body));
            assert.equal(name, 'key');
        }
        const { tier, rate_limit, active } = await expectOk(200, get(account, key_id));
        assert.deepEqual([tier, rate_limit, active], ['free', RATE_LIMITS.free, true]);
    });

    for (const name of ['', '  ', 'x'.repeat(256), 'a\u0000', 5, true, {}, ['x']]) {
        it(`cannot be called ${JSON.stringify(name).slice(0, 20)}`, async () => {
            const { key_id } = await newKey(account);
            await expectError(400, rename(account, key_id, { name }));
            assert.equal((await expectOk(200, get(account, key_id))).name, 'key');
            await expectOk(200, revoke(account, key_id));
        });
    }

    it('has one of two names that were sent at once', async () => {
        const { key_id } = await newKey(account);
        const names = ['one', 'other'];
        const answers = await Promise.all(names.map((name) => expectOk(200, rename(account, key_id, { name }))));
        assert.deepEqual(
            answers.map(({ name }) => name),
            names,
        );
        assert.ok(names.includes((await expectOk(200, get(account, key_id))).name));
    });
});

describe('a key of another account or with an invalid id', () => {
    it('gets 404 like an unknown key, and is not changed', async () => {
        const { key_id, api_key } = await newKey(account);
        const unknown = key_id.replace(/.{4}$/, (end) => (end === '0000' ? '1111' : '0000'));
        for (const call of [get, revoke, (owner: Account, id: string) => rename(owner, id, { name: 'mine' })]) {
            const theirs = await expectError(404, call(otherCaller, key_id));
            assert.equal(theirs.text, (await expectError(404, call(otherCaller, unknown))).text);
        }
        assert.deepEqual(await expectOk(200, list(otherCaller)), { keys: [], total: 0 });
        await expectOk(201, use(api_key));
        assert.equal((await expectOk(200, get(account, key_id))).name, 'key');
        await expectOk(200, revoke(account, key_id));
    });

    const ids: Record<string, string> = {
        'a word': 'x',
        'an id in capitals': 'ABCDEF01-2345-7000-8000-ABCDEF012345',
        'an id without hyphens': '01234567000070008000000000000000',
        'an id in braces': '%7B01234567-0000-7000-8000-000000000000%7D',
        'a URN': 'urn:uuid:01234567-0000-7000-8000-000000000000',
        'a path': '..%2f..%2fetc%2fpasswd',
        NUL: '%00',
        SQL: "'%20OR%201=1--",
        'a line break': '%0d%0aSet-Cookie:a=b',
        '10,000 characters': 'x'.repeat(10_000),
        'a property of every object': '__proto__',
    };
    for (const [name, keyId] of Object.entries(ids)) {
        it(`gets 404 if its id is invalid: ${name}`, async () => {
            for (const call of [get(account, keyId), revoke(account, keyId), rename(account, keyId, { name: 'x' })]) {
                await expectError(404, call);
            }
        });
    }
    it('gets 400 if its id cannot be decoded', async () => {
        for (const keyId of ['%', '%zz', '%ff']) assert.equal((await send(get(account, keyId))).status, 400, keyId);
    });
});
