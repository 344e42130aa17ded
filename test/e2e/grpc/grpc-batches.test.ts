import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { call, closeClients, type Options } from '../support/grpc.ts';
import { newAccount, newDid, payloadOf } from '../support/world.ts';

after(closeClients);
const ada = await newAccount();
const issuer = await newDid(ada.token);
const as = ({ user_id }: { user_id: string }): Options => ({ user_id });
const key = { issuer_did: issuer.did, issuer_private_key: Buffer.from(issuer.private_key, 'base64') };
const item = { subject_did: 'did:web:x.example', credential_type: 'T', claims: '{"n": 1.0}' };

async function answer(method: string, request: object, options: Options = as(ada)) {
    const { code, details, response } = await call(`credentials.v1.CredentialsService/${method}`, request, options);
    assert.equal(code, status.OK, details);
    return response;
}
async function refused(method: string, request: object, options: Options = as(ada)) {
    const { code, trailers } = await call(`credentials.v1.CredentialsService/${method}`, request, options);
    return [code, trailers['error-kind']];
}
interface Result {
    value: { credential_id: string; credential: string; valid: boolean; revoked: boolean } | null;
    failure: { code: string; error: string } | null;
}
const outcomes = (results: Result[]) => results.map(({ value, failure }) => (value ? 'ok' : failure?.code));

describe('batches over gRPC', () => {
    it('issue, verify, revoke and show the status of credentials, item by item', async () => {
        const items = [item, { ...item, subject_did: 'nobody' }, { ...item, claims: '[]' }, item];
        const { results } = await answer('IssueMany', { ...key, items });
        assert.deepEqual(outcomes(results), ['ok', 'invalid', 'invalid', 'ok']);
        const [first, , , last] = results as Result[];
        assert.deepEqual(payloadOf(first?.value?.credential ?? '')['claims'], { n: 1 });

        const revoke = { issuer_did: issuer.did, items: [first, last, first].map((each) => ({ ...each?.value })) };
        revoke.items.push({ credential_id: 'x' });
        const revoked = await answer('RevokeMany', { ...revoke, reason: 'common' });
        assert.deepEqual(outcomes(revoked.results), ['ok', 'ok', 'ok', 'invalid']);
        assert.deepEqual(revoked.results[0], revoked.results[2]);

        const ids = [first, last].map((each) => each?.value?.credential_id);
        const shown = await answer('GetStatusMany', { credential_ids: [...ids, 'x'] });
        assert.deepEqual(outcomes(shown.results), ['ok', 'ok', 'invalid']);
        assert.equal(shown.results[0].value.reason, 'common');

        const credential = first?.value?.credential;
        const checks = [{ credential }, { credential, check_revocation: true }, { credential, issuer_did: '' }];
        const { item_results } = await answer('VerifyMany', { items: checks });
        assert.deepEqual(outcomes(item_results), ['ok', 'ok', 'invalid']);
        assert.deepEqual(
            item_results.slice(0, 2).map(({ value }: Result) => [value?.valid, value?.revoked]),
            [
                [true, false],
                [false, true],
            ],
        );
        const common = await answer('VerifyMany', { items: [{ credential }], check_revocation: true });
        assert.equal(common.item_results[0].value.revoked, true);
    });

    it('answer a batch of 1,000 items that is larger than a frame', async () => {
        const items = Array(1_000).fill({ ...item, claims: JSON.stringify({ text: 'x'.repeat(900) }) });
        const { results } = await answer('IssueMany', { ...key, items });
        assert.ok(outcomes(results).every((outcome) => outcome === 'ok'));
    });

    it('are refused as a whole for a wrong number of items, a wrong key or too much text', async () => {
        const invalid = [status.INVALID_ARGUMENT, 'invalid'];
        assert.deepEqual(await refused('IssueMany', { ...key, items: [] }), invalid);
        assert.deepEqual(await refused('RevokeMany', { issuer_did: issuer.did }), invalid);
        assert.deepEqual(await refused('GetStatusMany', { credential_ids: Array(1_001).fill('x') }), invalid);
        assert.deepEqual(await refused('VerifyMany', { items: Array(1_001).fill({ credential: 'x' }) }), invalid);
        assert.deepEqual(await refused('VerifyMany', { items: [{}], credentials: ['x'] }), invalid);
        const other = await newDid(ada.token);
        assert.deepEqual(await refused('IssueMany', { ...key, issuer_did: other.did, items: [item] }), invalid);
        const large = { ...item, claims: JSON.stringify({ text: 'x'.repeat(60_000) }) };
        const tooLarge = [status.OUT_OF_RANGE, 'too_large'];
        assert.deepEqual(await refused('IssueMany', { ...key, items: Array(20).fill(large) }), tooLarge);
    });

    it('need an account to revoke, and the right to each credential', async () => {
        const { results } = await answer('IssueMany', { ...key, items: [item] });
        const items = [{ credential_id: results[0].value.credential_id }];
        const request = { issuer_did: issuer.did, items };
        const anonymous = await answer('RevokeMany', request, {});
        assert.deepEqual(outcomes(anonymous.results), ['unauthenticated']);
        const stranger = await answer('RevokeMany', request, as(await newAccount()));
        assert.deepEqual(outcomes(stranger.results), ['forbidden']);
    });
});
