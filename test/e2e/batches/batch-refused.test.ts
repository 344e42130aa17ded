import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk, INTERNAL_SECRET } from '../support/client.ts';
import { newAccount, newDid, newKey } from '../support/world.ts';
import { batching, ITEM } from './batch.fixture.ts';

const { token, issuer, keyPair, batch, issued } = await batching();
const METHODS = ['issue', 'verify', 'revoke', 'status'];

describe('a batch is refused as a whole', () => {
    const wholes: Record<string, object> = {
        issue: keyPair,
        verify: {},
        revoke: { issuer_did: issuer.did },
        status: {},
    };
    const listOf = (method: string) => (method === 'status' ? 'credential_ids' : 'items');
    const item: Record<string, unknown> = {
        issue: ITEM,
        verify: { credential: 'x' },
        revoke: { credential_id: 'x' },
        status: 'x',
    };

    it('if its list is missing, empty, too long or no list, or if its JSON is unusable', async () => {
        for (const method of METHODS) {
            const list = listOf(method);
            const bodies = [
                wholes[method],
                ...[null, {}, 'x', 7, [], Array(1_001).fill(item[method])].map((value) => ({
                    ...wholes[method],
                    [list]: value,
                })),
                '{not json',
                '[]',
                `{"${list}":[{"a":1,"a":2}]}`,
                `{"${list}":["\\u0000"]}`,
            ];
            for (const body of bodies) await expectError(400, batch(method, body));
            await expectError(415, batch(method, '{}', { headers: { 'content-type': 'text/plain' } }));
            const large = { ...wholes[method], [list]: ['x'.repeat(1 << 20)] };
            await expectError(413, batch(method, large));
        }
    });

    it('if a field for all items is missing or invalid', async () => {
        const other = await newDid(token);
        for (const changed of [
            { issuer_did: undefined },
            { issuer_did: 'did:web:x' },
            { issuer_did: other.did },
            { issuer_private_key: undefined },
            { issuer_private_key: 'x' },
            { issuer_private_key: other.private_key },
        ]) {
            await expectError(400, batch('issue', { ...keyPair, items: [ITEM], ...changed }));
            await expectError(400, batch('issue', { ...keyPair, items: ['not an object'], ...changed }));
        }
        const items = [{ credential_id: 'x' }];
        await expectError(400, batch('revoke', { items }));
        await expectError(
            400,
            batch('revoke', {
                issuer_did: 'x',
                items: [{ credential_id: `urn:uuid:${other.did}` }, {}, ...(await issued(1))],
            }),
        );
        await expectError(400, batch('revoke', { issuer_did: issuer.did, reason: 7, items }));
        await expectError(400, batch('verify', { items: [{ credential: 'x' }], check_revocation: 'yes' }));
    });

    it('without a valid bearer token, and by other methods', async () => {
        for (const method of METHODS) {
            for (const bearer of [undefined, 'x']) await expectError(401, batch(method, {}, { token: bearer }));
            for (const verb of ['GET', 'PUT', 'PATCH', 'DELETE']) {
                const answer = await expectError(405, { method: verb, path: `/v1/credentials/batch/${method}`, token });
                assert.equal(answer.headers.get('allow'), 'POST');
            }
        }
        await expectError(404, { method: 'POST', path: '/v1/credentials/batch', token, body: {} });
        await expectError(404, { method: 'POST', path: '/v1/credentials/batch/nothing', token, body: {} });
    });
});

describe('a trusted caller', () => {
    const internal = (method: string, body: unknown, headers: Record<string, string> = {}): Call => ({
        method: 'POST',
        path: `/internal/v1/credentials/batch/${method}`,
        internal: true,
        body,
        headers,
    });

    it('issues, verifies, revokes and asks for the status of credentials without an owner', async () => {
        const { results } = await expectOk(200, internal('issue', { ...keyPair, items: [ITEM, ITEM] }));
        const [{ credential_id, credential }] = results;
        const verified = await expectOk(200, internal('verify', { items: [{ credential }], check_revocation: true }));
        assert.equal(verified.results[0].valid, true);
        const revoke = { issuer_did: issuer.did, items: [{ credential_id }] };
        assert.equal((await expectOk(200, internal('revoke', revoke))).results[0].revoked, true);
        const status = await expectOk(200, internal('status', { credential_ids: [credential_id] }));
        assert.equal(status.results[0].revoked, true);
    });

    it('acts for an account with its rights, and the items count for that account', async () => {
        const account = await newAccount();
        const headers = { 'x-on-behalf-of': account.user_id };
        const { results } = await expectOk(
            200,
            internal('issue', { ...keyPair, items: Array(30).fill(ITEM) }, headers),
        );
        const stats = await expectOk(200, { path: '/v1/me/stats', token: account.token });
        assert.equal(stats.credentials.total_issued, 30);
        const { api_key } = await newKey(account);
        const revoke = { issuer_did: issuer.did, items: [{ credential_id: results[0].credential_id }] };
        const stranger = { 'x-on-behalf-of': (await newAccount()).user_id };
        const refused = await expectOk(200, internal('revoke', revoke, stranger));
        assert.equal(refused.results[0].code, 'forbidden');
        assert.equal((await expectOk(200, batch('revoke', revoke, { token: api_key }))).results[0].revoked, true);
        await expectError(400, internal('status', { credential_ids: ['x'] }, { 'x-on-behalf-of': 'nobody' }));
    });

    it('is recognized by the internal secret alone', async () => {
        const call = internal('status', { credential_ids: ['x'] });
        await expectError(401, { ...call, internal: false });
        await expectError(401, { ...call, internal: false, headers: { 'x-internal-secret': `${INTERNAL_SECRET}x` } });
    });
});
