import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { anOffer, linked } from '../exchange/exchange-examples.ts';
import { type Call, expectError, expectOk, send, service } from '../support/client.ts';
import { aKey, issue, verify } from '../support/world.ts';

describe('POST /internal/v1/subjects/erase', () => {
    const erase = (body: unknown, more: Partial<Call> = { internal: true }): Call => ({
        method: 'POST',
        path: '/internal/v1/subjects/erase',
        body,
        ...more,
    });

    it('erases the subject of a credential, which stays valid or revoked as before', async () => {
        const key = await aKey();
        const issuer = await service.as({ token: key }).issuers.create({ name: 'a hospital', method: 'key' });
        const subjectDid = `did:web:${randomUUID()}.example`;
        const more = { subject_did: subjectDid, credential_type: 'PatientCredential' };
        const [valid, revoked] = [await issue(key, issuer, more), await issue(key, issuer, more)];
        const { credential_id } = revoked;
        const own = service.as({ token: key });
        await own.credentials.revoke({ credential_id, issuer_did: issuer.did });
        const listed = async (did: string) => (await own.credentials.bySubject({ subject_did: did })).credentials;
        assert.equal((await listed(subjectDid)).length, 2);
        for (const _ of ['once', 'again'])
            assert.deepEqual(await expectOk(200, erase({ subject_did: subjectDid })), {
                subject_did: subjectDid,
                done: true,
            });
        assert.deepEqual(await listed(subjectDid), []);
        const left = (await own.credentials.byIssuer({ issuer_did: issuer.did })).credentials;
        assert.deepEqual(
            left.map(({ subject, credential_type }) => [subject, credential_type]),
            [
                ['did:invalid:erased', ''],
                ['did:invalid:erased', ''],
            ],
        );
        for (const { credential } of [valid, revoked]) {
            const verdict = await verify(key, credential, issuer.did, true);
            assert.equal(verdict.valid, credential === valid.credential);
        }
    });

    it('ends the open offers that name the subject', async () => {
        const subjectDid = `did:web:${randomUUID()}.example`;
        const offered = await anOffer({ subject_did: subjectDid });
        await expectOk(200, erase({ subject_did: subjectDid }));
        const { issuer_id, secret } = linked(offered);
        assert.equal((await send({ path: `/issuers/${issuer_id}/offers/${secret}` })).status, 404);
        const { state } = await service.as(offered).offers.get({ offer_id: offered.offer_id });
        assert.equal(state, 'expired');
    });

    it('refuses what is no DID, and callers that are not trusted', async () => {
        for (const body of [{}, { subject_did: 'x' }, { subject_did: 7 }, { subject_did: 'did:invalid:erased' }])
            await expectError(400, erase(body));
        await expectError(401, erase({ subject_did: 'did:web:a.example' }, {}));
    });
});
