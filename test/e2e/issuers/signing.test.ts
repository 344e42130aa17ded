import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { AUDIENCE } from '../support/presenting.ts';
import { walletCalls } from '../support/wallet-calls.ts';
import {
    aKey,
    aManagedIssuer,
    issue,
    issueBody,
    newAccount,
    newDid,
    newWallet,
    payloadOf,
    present,
    store,
    verify,
} from '../support/world.ts';
import { issuerCalls, managing, SUBJECT } from './issuers.fixture.ts';

const ITEM = { subject_did: SUBJECT, credential_type: 'EmploymentCredential', claims: { role: 'engineer' } };

for (const method of ['key', 'web'] as const) {
    describe(`a managed did:${method}`, async () => {
        const { token, issuer, issued, verdicts } = await managing(method);
        const { did, kid } = issuer;
        const post = (path: string, body: unknown): Call => ({ method: 'POST', path, token, body });

        it('issues a credential without a private key in the request, and anybody verifies it', async () => {
            const { credential, issuer: named } = await issued();
            assert.equal(named, did);
            assert.equal(payloadOf(credential)['kid'], method === 'web' ? kid : undefined);
            for (const { valid, issuer: shown } of await verdicts(credential))
                assert.deepEqual([valid, shown], [true, did]);
            assert.equal((await verify(await aKey(), credential, did)).valid, true);
        });

        it('issues a batch with the same content as single calls', async () => {
            const claims = { n: 1, list: ['é', null] };
            const body = {
                issuer_did: did,
                items: [
                    { ...ITEM, claims },
                    { ...ITEM, subject_did: 'nobody' },
                ],
            };
            const { results, total_succeeded } = await expectOk(200, post('/v1/credentials/batch/issue', body));
            assert.deepEqual([total_succeeded, results[1].code], [1, 'invalid']);
            const alone = await issue(token, issuer, { claims });
            const { jti: _, iat: __, ...content } = payloadOf(results[0].credential);
            const { jti: ___, iat: ____, ...same } = payloadOf(alone.credential);
            assert.deepEqual(content, same);
            const items = [{ credential: results[0].credential, issuer_did: did }];
            const verified = await expectOk(200, post('/v1/credentials/batch/verify', { items }));
            assert.equal(verified.results[0].valid, true);
        });

        it('presents credentials without a private key in the request', async () => {
            const { credential } = await issued();
            const other = await issue(token, await newDid(token));
            const made = await present(token, issuer, [credential, other.credential]);
            const shown = { presentation: made.presentation, audience: AUDIENCE, check_revocation: true };
            const checked = await expectOk(200, post('/v1/presentations/verify', shown));
            assert.deepEqual([checked.valid, checked.holder], [true, did]);
            assert.deepEqual(
                checked.credentials.map(({ valid }: { valid: boolean }) => valid),
                [true, true],
            );
        });

        it('revokes and lists what it has issued, and wallets keep it', async () => {
            const { credential, credential_id } = await issue(token, issuer, { credential_type: 'Revoked' });
            const wallet = await newWallet(token);
            await store(token, wallet, credential);
            assert.deepEqual(await walletCalls(token).idsIn(wallet), [credential_id]);
            await expectOk(200, post(`/v1/credentials/revoke/${credential_id}`, { issuer_did: did }));
            const [, { valid, revoked }] = await verdicts(credential);
            assert.deepEqual([valid, revoked], [false, true]);
            const path = `/v1/credentials/by-issuer/${encodeURIComponent(did)}`;
            const { credentials } = await expectOk(200, { path, token });
            assert.equal(credentials[0].credential_id, credential_id);
            assert.equal((await expectOk(200, { path, token: await aKey() })).total, 0);
        });

        it('counts what it issues and presents in the statistics of its account', async () => {
            const { token: session } = await newAccount();
            const own = await aManagedIssuer({ token: session, method });
            const { credential } = await issue(session, own);
            const body = { issuer_did: own.did, items: [ITEM, ITEM] };
            await expectOk(200, { ...post('/v1/credentials/batch/issue', body), token: session });
            await present(session, own, [credential]);
            const { credentials, presentations } = await expectOk(200, { path: '/v1/me/stats', token: session });
            assert.deepEqual([credentials.total_issued, presentations.total_created], [3, 1]);
        });

        it('of another account is as unknown as any other DID', async () => {
            const foreign = await aManagedIssuer({ method });
            await issue(foreign.token, foreign); // so that processes know its key
            const unknown = method === 'key' ? (await newDid(token)).did : foreign.did.replace(/.{4}$/, '0000');
            const refusalOf = (field: string) =>
                method === 'web' ? 'This account has no issuer with this DID.' : `${field} is required.`;
            for (const named of [foreign.did, unknown]) {
                const calls = [
                    issuerCalls(token).issue(named),
                    post('/v1/credentials/batch/issue', { issuer_did: named, items: [ITEM] }),
                ];
                for (const call of calls) {
                    assert.equal((await expectError(400, call)).body.error, refusalOf('issuer_private_key'));
                }
                const { credential } = await issued();
                const presented = { holder_did: named, credentials: [credential], audience: AUDIENCE };
                const { body } = await expectError(400, post('/v1/presentations', presented));
                assert.equal(body.error, refusalOf('holder_private_key'));
            }
        });
    });
}

it('a managed did:key is refused together with a private key that is not its own', async () => {
    const { token, calls, issuer } = await managing('key');
    const { private_key } = await newDid(token);
    await expectError(400, calls.issue(issuer.did, { issuer_private_key: private_key }));
});

it('a did:web is refused together with a private key, whoever owns it', async () => {
    const { token, issuer, issued } = await managing('web');
    const { private_key } = await newDid(token);
    const body = { ...issueBody({ did: issuer.did }, SUBJECT), issuer_private_key: private_key };
    const refusal = await expectError(400, { method: 'POST', path: '/v1/credentials', token, body });
    assert.match(refusal.body.error, /^issuer_private_key must be left out/);
    await expectError(400, { method: 'POST', path: '/v1/credentials', token: await aKey(), body });
    const { credential } = await issued();
    const presentation = { holder_did: issuer.did, holder_private_key: private_key, credentials: [credential] };
    const call = { method: 'POST', path: '/v1/presentations', token, body: { ...presentation, audience: AUDIENCE } };
    assert.match((await expectError(400, call)).body.error, /^holder_private_key must be left out/);
});
