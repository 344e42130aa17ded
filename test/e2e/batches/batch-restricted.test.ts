import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, send } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { newAccount, newDid } from '../support/world.ts';
import { ITEM } from './batch.fixture.ts';

const account = await newAccount();
const { did, private_key } = await newDid(account.token);
const item = { credential: 'no token' };
/** A batch of each kind with the scope that it needs. */
const BATCHES: ReadonlyArray<[method: string, scope: string, body: object]> = [
    ['issue', 'credentials:issue', { issuer_did: did, issuer_private_key: private_key, items: [ITEM, ITEM] }],
    ['verify', 'credentials:verify', { items: [item, item] }],
    ['revoke', 'credentials:revoke', { issuer_did: did, items: [{ credential_id: 'x' }, { credential_id: 'y' }] }],
    ['status', 'credentials:read', { credential_ids: ['x', 'y'] }],
];

/** A new key with these restrictions. */
async function newKey(restrictions: object): Promise<string> {
    const body = { name: 'key', tier: 'enterprise', ...restrictions };
    const { api_key } = await expectOk(201, {
        method: 'POST',
        path: '/v1/keys/generate',
        token: account.token,
        body,
    });
    return api_key;
}
const batch = (method: string, token: string, body: object): Call => ({
    method: 'POST',
    path: `/v1/credentials/batch/${method}`,
    token,
    body,
});
const total = async (): Promise<number> =>
    (await expectOk(200, { path: `/v1/credentials/by-issuer/${did}`, token: account.token })).total;

describe('a restricted key', () => {
    for (const [method, scope, body] of BATCHES) {
        it(`sends a batch to ${method} only with the scope ${scope}, and nothing is done without it`, async () => {
            const others = BATCHES.map(([, other]) => other).filter((other) => other !== scope);
            const before = await total();
            const refused = await expectError(403, batch(method, await newKey({ scopes: others }), body));
            assert.equal(refused.body.error, `This API key lacks the scope ${scope}.`);
            assert.equal(await total(), before);
            const { results } = await expectOk(200, batch(method, await newKey({ scopes: [scope] }), body));
            assert.equal(results.length, 2);
        });

        it(`sends a batch to ${method} only from its addresses`, async () => {
            const token = await newKey({ allowed_addresses: ['127.81.0.0/16'] });
            const statusFrom = async (from: string): Promise<number> => {
                const { path } = batch(method, token, body);
                const headers = [
                    ['Authorization', `Bearer ${token}`],
                    ['Content-Type', 'application/json'],
                ] as const;
                return (await sendRaw({ method: 'POST', path, headers, body: JSON.stringify(body), from })).status;
            };
            const before = await total();
            assert.equal(await statusFrom('127.82.0.1'), 403);
            assert.equal(await total(), before);
            assert.equal(await statusFrom('127.81.0.1'), 200);
        });
    }

    it('sends no batch after it has expired', async () => {
        const ends = Date.now() + 1_500;
        const token = await newKey({ expires_at: new Date(ends).toISOString() });
        const [[method, , body]] = BATCHES as [(typeof BATCHES)[number]]; // there are four
        let answer = await send(batch(method, token, body));
        assert.equal(answer.status, 200);
        while (answer.status === 200) answer = await send(batch(method, token, body));
        const before = await total();
        for (const [method, , body] of BATCHES) {
            const { body: refused } = await expectError(401, batch(method, token, body));
            assert.equal(refused.error, 'The API key has expired.');
        }
        assert.equal(await total(), before);
    });
});
