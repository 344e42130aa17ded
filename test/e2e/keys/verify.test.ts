import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { call, closeClients } from '../support/grpc.ts';
import { usedKey } from '../support/usage.ts';
import { newAccount } from '../support/world.ts';

after(closeClients);
const account = await newAccount();
const FREE = RATE_LIMITS.free;
const verify = (body: unknown, headers: Record<string, string> = {}): Call => ({
    method: 'POST',
    path: '/internal/v1/keys/verify',
    internal: true,
    body,
    headers,
});
const generate = (body: object): Call => ({
    method: 'POST',
    path: '/v1/keys/generate',
    token: account.token,
    body: { name: 'key', tier: 'free', ...body },
});

describe('the check of a key for another service', () => {
    it('counts in the window of the key’s own calls, over HTTP and over gRPC', async () => {
        const { api_key, key_id } = await expectOk(201, generate({ scopes: ['dids:*'] }));
        const { reset, ...first } = await expectOk(200, verify({ api_key, scope: 'dids:create', cost: 4 }));
        const known = { key_id, user_id: account.user_id, tier: 'free', scopes: ['dids:*'] };
        assert.deepEqual(first, { valid: true, code: 'valid', ...known, limit: FREE, remaining: FREE - 4 });
        assert.ok(Math.abs(reset - Date.now() / 1_000) <= 61);
        const { response } = await call('keys.v1.KeysService/Check', { api_key, cost: 2 });
        assert.deepEqual([response.valid, response.code, response.remaining], [true, 'valid', FREE - 6]);
        const { headers } = await send({ method: 'POST', path: '/v1/did', token: api_key, gateway: 1 });
        assert.equal(headers.get('x-ratelimit-remaining'), String(FREE - 7));
        const over = await expectOk(200, verify({ api_key, cost: FREE - 6 }));
        assert.deepEqual([over.valid, over.code, over.remaining], [false, 'rate_limited', FREE - 7]);
        await usedKey(account, key_id, 7);
    });

    it('with a cost of 0 is no use of the key', async () => {
        const { api_key, key_id } = await expectOk(201, generate({}));
        for (let look = 0; look < 3; look++) {
            assert.equal((await expectOk(200, verify({ api_key, cost: 0 }))).remaining, FREE);
        }
        const path = `/v1/keys/${key_id}`;
        const first = await expectOk(200, { path, token: account.token });
        assert.deepEqual([first.last_used_at, first.usage.requests_today], [null, 0]);
        await expectOk(200, verify({ api_key, cost: 1 }));
        assert.notEqual((await usedKey(account, key_id, 1)).last_used_at, null);
    });

    it('sees a revocation, a change and a rotation at once', async () => {
        const { api_key, key_id } = await expectOk(201, generate({}));
        const codeOf = async () => (await expectOk(200, verify({ api_key, scope: 'dids:read', cost: 0 }))).code;
        const path = `/v1/keys/${key_id}`;
        assert.equal(await codeOf(), 'valid');
        await expectOk(200, { method: 'PATCH', path, token: account.token, body: { scopes: ['wallets:*'] } });
        assert.equal(await codeOf(), 'missing_scope');
        await expectOk(201, {
            method: 'POST',
            path: `${path}/rotate`,
            token: account.token,
            body: { overlap_seconds: 0 },
        });
        assert.equal(await codeOf(), 'revoked');
    });

    it('compares the address that the caller names', async () => {
        const { api_key } = await expectOk(201, generate({ allowed_addresses: ['203.0.113.0/24', '2001:db8::5/128'] }));
        const codeFrom = async (address?: string) => {
            const headers: Record<string, string> = address === undefined ? {} : { 'X-Client-Address': address };
            return (await expectOk(200, verify({ api_key, cost: 0 }, headers))).code;
        };
        assert.equal(await codeFrom('203.0.113.9'), 'valid');
        assert.equal(await codeFrom('2001:db8::5'), 'valid');
        for (const address of ['203.0.114.9', '2001:db8::6', undefined])
            assert.equal(await codeFrom(address), 'address_not_allowed');
        const { response } = await call('keys.v1.KeysService/Check', { api_key, address: '203.0.113.1' });
        assert.equal(response.code, 'valid');
    });

    it('answers 200 for a text that is no key', async () => {
        for (const apiKey of ['', 'x', 'x'.repeat(10_000), account.token]) {
            assert.deepEqual(await expectOk(200, verify({ api_key: apiKey })), { valid: false, code: 'not_found' });
        }
    });

    const bad: Record<string, unknown> = {
        'no key': {},
        'a number as key': { api_key: 5 },
        'an unknown scope': { api_key: 'x', scope: 'everything' },
        'a group of scopes': { api_key: 'x', scope: 'dids:*' },
        'a negative cost': { api_key: 'x', cost: -1 },
        'a cost of 1,001': { api_key: 'x', cost: 1_001 },
        'half a call': { api_key: 'x', cost: 0.5 },
        'a text as cost': { api_key: 'x', cost: '1' },
    };
    for (const [name, body] of Object.entries(bad)) {
        it(`is refused with 400 for ${name}`, async () => void (await expectError(400, verify(body))));
    }

    it('is refused over gRPC for a cost over 1,000 and an unknown scope', async () => {
        for (const request of [{ cost: 1_001 }, { scope: 'everything' }]) {
            const { code, details } = await call('keys.v1.KeysService/Check', { api_key: 'x', ...request });
            assert.deepEqual([code, details.startsWith(Object.keys(request)[0] ?? '')], [3, true]);
        }
    });

    it('is only for trusted callers', async () => {
        await expectError(401, { ...verify({ api_key: 'x' }), internal: false });
    });
});
