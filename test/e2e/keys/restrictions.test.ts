import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpointTable } from '../../../gateway/endpoints/index.ts';
import { SCOPE_NAMES } from '../../../proto/scopes.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { type Account, newAccount, newDid } from '../support/world.ts';

const TABLE = endpointTable({ version: '', cache: async () => {}, clock: Date.now });
const account = await newAccount();
const { did } = await newDid(account.token);
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

const generate = (body: object, owner: Account = account): Call => ({
    method: 'POST',
    path: '/v1/keys/generate',
    token: owner.token,
    body: { name: 'key', tier: 'enterprise', ...body },
});
const change = (keyId: string, body: object, gateway = 0): Call => ({
    method: 'PATCH',
    path: `/v1/keys/${keyId}`,
    token: account.token,
    body,
    gateway,
});
const get = (keyId: string): Call => ({ path: `/v1/keys/${keyId}`, token: account.token });
const use = (token: string, gateway = 0): Call => ({ path: `/v1/did/${did}`, token, gateway });
/** Calls with the key from a loopback address. Refusals count by address, so each test has its own. */
const useFrom = async (token: string, from: string) => {
    const headers = [['Authorization', `Bearer ${token}`]] as const;
    const { status, text } = await sendRaw({ ...use(token), headers, body: '', from });
    return { status, error: JSON.parse(text).error };
};

/** A key of the account, which it revokes afterwards: the account may have 20. */
async function withKey(body: object, work: (key: { key_id: string; api_key: string }) => Promise<void>): Promise<void> {
    const key = await expectOk(201, generate(body));
    await work(key);
    await expectOk(200, { ...get(key.key_id), method: 'DELETE' });
}

describe('the restrictions of a key', () => {
    it('are shown by generate, get, list and PATCH exactly if they are set', async () => {
        const expiresAt = inMs(3_600_000);
        const restrictions = {
            expires_at: expiresAt,
            scopes: ['dids:read', 'wallets:*'],
            allowed_addresses: ['127.0.0.0/8'],
        };
        await withKey(restrictions, async ({ api_key: _, ...created }) => {
            const { usage: __, ...got } = await expectOk(200, get(created.key_id));
            const { keys } = await expectOk(200, { path: '/v1/keys', token: account.token, gateway: 1 });
            for (const shown of [created, got, keys[0]]) {
                assert.deepEqual({ ...shown, ...restrictions }, shown);
            }
            const removed = { expires_at: null, scopes: null, allowed_addresses: null };
            const { updated_at, ...freed } = await expectOk(200, change(created.key_id, removed));
            assert.deepEqual(freed, { key_id: created.key_id, name: 'key' });
            assert.ok(!Object.keys(await expectOk(200, get(created.key_id))).some((field) => field in removed));
        });
    });

    const bad: Record<string, object> = {
        'an expiry in the past': { expires_at: '2001-01-01T00:00:00Z' },
        'an expiry in more than ten years': { expires_at: inMs(3_700 * 86_400_000) },
        'an expiry without an offset': { expires_at: '2030-01-01T00:00:00' },
        'a number as expiry': { expires_at: 1_900_000_000 },
        'an empty list of scopes': { scopes: [] },
        'an unknown scope': { scopes: ['credentials:everything'] },
        'a scope of another form': { scopes: ['*'] },
        'scopes as text': { scopes: 'dids:read' },
        'a number as scope': { scopes: [1] },
        'a scope twice': { scopes: ['dids:read', 'dids:read'] },
        '33 scopes': { scopes: Array(33).fill('dids:read') },
        'an empty list of networks': { allowed_addresses: [] },
        'a network with host bits': { allowed_addresses: ['10.0.0.1/8'] },
        'an address': { allowed_addresses: ['10.0.0.1'] },
        'a host name': { allowed_addresses: ['example.com'] },
        'a network twice': { allowed_addresses: ['10.0.0.0/8', '10.0.0.0/8'] },
        '33 networks': { allowed_addresses: Array.from({ length: 33 }, (_, at) => `10.${at}.0.0/16`) },
        'networks as text': { allowed_addresses: '10.0.0.0/8' },
    };
    for (const [name, body] of Object.entries(bad)) {
        it(`are refused with 400 for ${name}`, async () => {
            await withKey({}, async ({ key_id }) => {
                await expectError(400, generate(body));
                const { body: answer } = await expectError(400, change(key_id, body));
                const [field = ''] = Object.keys(body);
                assert.ok(answer.error.startsWith(field), answer.error);
                if (name.includes('unknown scope'))
                    for (const scope of SCOPE_NAMES) assert.ok(answer.error.includes(scope));
            });
        });
    }

    it('that are null in a new key are none', async () => {
        await withKey({ expires_at: null, scopes: null, allowed_addresses: null }, async ({ api_key }) => {
            await expectOk(200, use(api_key));
        });
    });
});

describe('a scope', () => {
    const endpoints = TABLE.filter(({ access }) => access === 'bearer');
    const probe = (path: string): string =>
        path
            .replace('{did}', did)
            .replace('{issuer_did}', did)
            .replace('{subject_did}', did)
            .replaceAll(/\{\w+\}/g, 'x');

    for (const { id, method, path, scope = '' } of endpoints) {
        it(`${scope} is what ${id} needs, and neither any other scope nor an internal call`, async () => {
            const call = (token: string): Call => ({
                method,
                path: probe(path),
                token,
                ...(method !== 'GET' && { body: {} }),
            });
            const others = SCOPE_NAMES.filter((name) => name !== scope && name !== `${scope.split(':')[0]}:*`);
            await withKey({ scopes: others }, async ({ api_key }) => {
                const { body, headers } = await expectError(403, call(api_key));
                assert.equal(body.error, `This API key lacks the scope ${scope}.`);
                assert.equal(
                    headers.get('x-ratelimit-limit'),
                    String(RATE_LIMITS.enterprise),
                    'the call is charged to the key',
                );
            });
            for (const held of [scope, `${scope.split(':')[0]}:*`]) {
                await withKey({ scopes: [held] }, async ({ api_key }) => {
                    assert.notEqual((await send(call(api_key))).status, 403);
                });
            }
        });
    }

    it('does not limit a session', async () => {
        await expectOk(201, { method: 'POST', path: '/v1/did', token: account.token });
    });
});

describe('a change', () => {
    it('is in force on the next call, on both gateways, for every kind of restriction and its removal', async () => {
        await withKey({}, async ({ key_id, api_key }) => {
            const steps: Array<[change: object, status: number]> = [
                [{ scopes: ['wallets:open'] }, 403],
                [{ scopes: ['dids:read'] }, 200],
                [{ scopes: null, allowed_addresses: ['192.0.2.0/24'] }, 403],
                [{ allowed_addresses: ['127.0.0.0/8', '::1/128'] }, 200],
                [{ allowed_addresses: null, scopes: ['credentials:*'] }, 403],
                [{ scopes: null }, 200],
            ];
            for (const round of [0, 1]) {
                for (const [index, [body, status]] of steps.entries()) {
                    await expectOk(200, change(key_id, body, (index + round) % 2));
                    for (const gateway of [round, 1 - round, round]) {
                        assert.equal((await send(use(api_key, gateway))).status, status, JSON.stringify(body));
                    }
                }
            }
        });
    });

    it('of the expiry ends the key at that time, and a later one brings it back at once', async () => {
        await withKey({}, async ({ key_id, api_key }) => {
            await expectOk(200, use(api_key));
            const ends = Date.now() + 1_500;
            await expectOk(200, change(key_id, { expires_at: new Date(ends).toISOString() }));
            let answer = await send(use(api_key));
            for (let call = 0; answer.status === 200; call++) answer = await send(use(api_key, call % 2));
            assert.ok(Date.now() >= ends - 50, 'it is not refused early');
            assert.deepEqual([answer.status, answer.body.error], [401, 'The API key has expired.']);
            for (const gateway of [0, 1]) await expectError(401, use(api_key, gateway));
            assert.equal((await expectOk(200, get(key_id))).active, false);
            await expectOk(200, change(key_id, { expires_at: null }));
            for (const gateway of [0, 1]) await expectOk(200, use(api_key, gateway));
        });
    });
});

it('a key is refused elsewhere with 403, which costs its owner nothing', async () => {
    const body = { tier: 'free', allowed_addresses: ['127.77.0.0/16'] };
    // Its account has no other key, whose window it could go on with.
    const { api_key } = await expectOk(201, generate(body, await newAccount()));
    for (let call = 0; call < 15; call++) {
        const { status, error } = await useFrom(api_key, '127.78.0.1');
        assert.deepEqual([status, error], [403, 'The API key may not be used from this address.']);
    }
    const served = [];
    for (let call = 0; call <= RATE_LIMITS.free; call++) served.push((await useFrom(api_key, '127.77.0.1')).status);
    assert.deepEqual(served, [...Array(RATE_LIMITS.free).fill(200), 429]);
});
