import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { signToken } from '../support/tokens.ts';
import { aKey, type Issued, issue, newDid, newKey, payloadOf, verify } from '../support/world.ts';
import { revoking, UNKNOWN_ID } from './revoke.fixture.ts';

const { account, token, issuer, revokeCall, statusCall, newCredential, expectNotRevoked } = await revoking();
const otherCaller = await aKey();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('revocation', () => {
    const issuerDid = issuer.did;

    it('is visible at once on every gateway, in status, verification and lists', async () => {
        const { credential_id, credential, subject, issued_at } = await newCredential();
        assert.deepEqual(await expectOk(200, statusCall(credential_id, { gateway: 1 })), {
            credential_id,
            revoked: false,
        });
        const revoked = await expectOk(200, revokeCall(credential_id, { issuer_did: issuerDid, reason: 'left' }));
        assert.match(revoked.revoked_at, TIME);
        assert.deepEqual(revoked, {
            credential_id,
            revoked: true,
            revoked_at: revoked.revoked_at,
            reason: 'left',
        });
        for (const gateway of [0, 1]) {
            assert.deepEqual(await expectOk(200, statusCall(credential_id, { gateway, token: otherCaller })), revoked);
            const path = `/v1/credentials/by-issuer/${issuerDid}`;
            const { credentials } = await expectOk(200, { path, token, gateway });
            const row = credentials.find((item: Issued) => item.credential_id === credential_id);
            assert.equal(row.revoked, true);
        }
        assert.deepEqual(await verify(token, credential, issuerDid, true), {
            valid: false,
            issuer: issuerDid,
            subject,
            credential_type: 'EmploymentCredential',
            issued_at,
            revoked: true,
            expired: false,
            error: 'The credential has been revoked.',
        });
        for (const unchecked of [false, undefined]) {
            const { valid, revoked: flag } = await verify(token, credential, issuerDid, unchecked);
            assert.deepEqual([valid, flag], [true, false]);
        }
    });

    it('needs no reason, and returns none then', async () => {
        for (const body of [{ issuer_did: issuerDid }, { issuer_did: issuerDid, reason: null }]) {
            const { credential_id } = await newCredential();
            const data = await expectOk(200, revokeCall(credential_id, body));
            assert.deepEqual(Object.keys(data), ['credential_id', 'revoked', 'revoked_at']);
            assert.deepEqual(await expectOk(200, statusCall(credential_id)), data);
        }
    });

    for (const reason of ['a'.repeat(2_000), '\u{1F600}'.repeat(2_000), 'line\r\nbreak', '"\\', '\u202Eשלום', ' ']) {
        it(`keeps the reason ${JSON.stringify(reason.slice(0, 12))} unchanged`, async () => {
            const { credential_id } = await newCredential();
            await expectOk(200, revokeCall(credential_id, { issuer_did: issuerDid, reason }));
            assert.equal((await expectOk(200, statusCall(credential_id, { gateway: 1 }))).reason, reason);
        });
    }

    it('takes effect once, and later calls return the first one', async () => {
        const { credential_id } = await newCredential();
        const first = await expectOk(200, revokeCall(credential_id, { issuer_did: issuerDid, reason: 'first' }));
        for (const reason of ['second', undefined]) {
            assert.deepEqual(
                await expectOk(200, revokeCall(credential_id, { issuer_did: issuerDid, reason }, { gateway: 1 })),
                first,
            );
        }
        assert.deepEqual(await expectOk(200, statusCall(credential_id)), first);
    });

    it('does not affect a credential that another issuer has made elsewhere under the same id', async () => {
        const [issued, other] = [await newCredential(), await newDid(otherCaller)];
        await expectOk(200, revokeCall(issued.credential_id, { issuer_did: issuer.did }));
        const payload = { ...payloadOf(issued.credential), iss: other.did };
        const foreign = signToken({ private_key: other.private_key, payload });
        const { valid, revoked } = await verify(token, foreign, other.did, true);
        assert.deepEqual({ valid, revoked }, { valid: true, revoked: false });
        assert.equal((await verify(token, issued.credential, issuer.did, true)).revoked, true);
    });

    it('takes effect once for fifty calls at once, and all of them return it', async () => {
        const { credential_id } = await newCredential();
        const answers = await Promise.all(
            Array.from({ length: 50 }, (_, index) =>
                expectOk(
                    200,
                    revokeCall(credential_id, { issuer_did: issuerDid, reason: `r${index}` }, { gateway: index % 2 }),
                ),
            ),
        );
        const kept = await expectOk(200, statusCall(credential_id));
        for (const answer of answers) assert.deepEqual(answer, kept);
    });
});

describe('a credential can be revoked', () => {
    const issuerDid = issuer.did;

    it('by its account, with any key or session', async () => {
        const { api_key } = await newKey(account);
        for (const by of [api_key, account.token]) {
            const { credential_id } = await newCredential();
            await expectOk(200, revokeCall(credential_id, { issuer_did: issuerDid }, { token: by }));
        }
    });

    it('by the account that issued it with another account’s DID, and by the owner of that DID', async () => {
        for (const by of [otherCaller, token]) {
            const { credential_id } = await issue(otherCaller, issuer);
            await expectOk(200, revokeCall(credential_id, { issuer_did: issuerDid }, { token: by }));
        }
    });

    it('not by any other account, even if it names the issuer or registers its public key', async () => {
        const issued = await newCredential();
        const refused = revokeCall(issued.credential_id, { issuer_did: issuerDid }, { token: otherCaller });
        await expectError(403, refused);
        const { public_key } = issuer;
        await expectOk(201, { method: 'POST', path: '/v1/did', token: otherCaller, body: { public_key } });
        const { text } = await expectError(403, refused);
        assert.ok(!text.includes(account.user_id));
        await expectNotRevoked(issued);
    });

    it('only with its issuer', async () => {
        const issued = await newCredential();
        const other = await newDid(token);
        await expectError(403, revokeCall(issued.credential_id, { issuer_did: other.did }));
        await expectError(403, revokeCall(issued.credential_id, { issuer_did: other.did }, { token: otherCaller }));
        await expectNotRevoked(issued);
    });

    it('only if it exists', async () => {
        await expectError(404, revokeCall(UNKNOWN_ID, { issuer_did: issuerDid }));
        await expectError(404, revokeCall(UNKNOWN_ID, { issuer_did: (await newDid(otherCaller)).did }));
    });
});
