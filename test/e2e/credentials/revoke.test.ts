import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { exchange, requestText } from '../support/socket.ts';
import { signToken } from '../support/tokens.ts';
import { type Issued, issue, newAccount, newDid, newKey, payloadOf, verify } from '../support/world.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const unknownCaller = (await newKey(await newAccount())).api_key;
const issuer = await newDid(token);
const UNKNOWN_ID = 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function revokeCall(id: string, body: unknown, more: Partial<Call> = {}): Call {
    return { method: 'POST', path: `/v1/credentials/revoke/${encodeURIComponent(id)}`, token, body, ...more };
}

function statusCall(id: string, more: Partial<Call> = {}): Call {
    return { path: `/v1/credentials/status/${encodeURIComponent(id)}`, token, ...more };
}

function newCredential(): Promise<Issued> {
    return issue(token, issuer);
}

async function expectNotRevoked({ credential_id }: Issued): Promise<void> {
    assert.deepEqual(await expectOk(200, statusCall(credential_id)), { credential_id, revoked: false });
}

describe('revocation', () => {
    const issuer_did = issuer.did;

    it('is seen at once, on every gateway, in status, verification and lists', async () => {
        const { credential_id, credential, subject, issued_at } = await newCredential();
        assert.deepEqual(await expectOk(200, statusCall(credential_id, { gateway: 1 })), {
            credential_id,
            revoked: false,
        });
        const revoked = await expectOk(200, revokeCall(credential_id, { issuer_did, reason: 'left' }));
        assert.match(revoked.revoked_at, TIME);
        assert.deepEqual(revoked, {
            credential_id,
            revoked: true,
            revoked_at: revoked.revoked_at,
            reason: 'left',
        });
        for (const gateway of [0, 1]) {
            assert.deepEqual(
                await expectOk(200, statusCall(credential_id, { gateway, token: unknownCaller })),
                revoked,
            );
            const path = `/v1/credentials/by-issuer/${issuer_did}`;
            const { credentials } = await expectOk(200, { path, token, gateway });
            const row = credentials.find((item: Issued) => item.credential_id === credential_id);
            assert.equal(row.revoked, true);
        }
        assert.deepEqual(await verify(token, credential, issuer_did, true), {
            valid: false,
            issuer: issuer_did,
            subject,
            credential_type: 'EmploymentCredential',
            issued_at,
            revoked: true,
            expired: false,
            error: 'The credential has been revoked.',
        });
        for (const unchecked of [false, undefined]) {
            const { valid, revoked: flag } = await verify(token, credential, issuer_did, unchecked);
            assert.deepEqual([valid, flag], [true, false]);
        }
    });

    it('needs no reason, and none is made up', async () => {
        for (const body of [{ issuer_did }, { issuer_did, reason: null }]) {
            const { credential_id } = await newCredential();
            const data = await expectOk(200, revokeCall(credential_id, body));
            assert.deepEqual(Object.keys(data), ['credential_id', 'revoked', 'revoked_at']);
            assert.deepEqual(await expectOk(200, statusCall(credential_id)), data);
        }
    });

    for (const reason of ['a'.repeat(2_000), '\u{1F600}'.repeat(2_000), 'line\r\nbreak', '"\\', '\u202Eשלום', ' ']) {
        it(`keeps the reason ${JSON.stringify(reason.slice(0, 12))} untouched`, async () => {
            const { credential_id } = await newCredential();
            await expectOk(200, revokeCall(credential_id, { issuer_did, reason }));
            assert.equal((await expectOk(200, statusCall(credential_id, { gateway: 1 }))).reason, reason);
        });
    }

    it('counts once: later ones answer the first', async () => {
        const { credential_id } = await newCredential();
        const first = await expectOk(200, revokeCall(credential_id, { issuer_did, reason: 'first' }));
        for (const reason of ['second', undefined]) {
            assert.deepEqual(
                await expectOk(200, revokeCall(credential_id, { issuer_did, reason }, { gateway: 1 })),
                first,
            );
        }
        assert.deepEqual(await expectOk(200, statusCall(credential_id)), first);
    });

    it('is of the issuer’s credential, and not of one that another has made elsewhere under the same id', async () => {
        const [issued, other] = [await newCredential(), await newDid(unknownCaller)];
        await expectOk(200, revokeCall(issued.credential_id, { issuer_did: issuer.did }));
        const payload = { ...payloadOf(issued.credential), iss: other.did };
        const foreign = signToken({ private_key: other.private_key, payload });
        const { valid, revoked } = await verify(token, foreign, other.did, true);
        assert.deepEqual({ valid, revoked }, { valid: true, revoked: false });
        assert.equal((await verify(token, issued.credential, issuer.did, true)).revoked, true);
    });

    it('of fifty at once is one, and all of them answer it', async () => {
        const { credential_id } = await newCredential();
        const answers = await Promise.all(
            Array.from({ length: 50 }, (_, index) =>
                expectOk(200, revokeCall(credential_id, { issuer_did, reason: `r${index}` }, { gateway: index % 2 })),
            ),
        );
        const kept = await expectOk(200, statusCall(credential_id));
        for (const answer of answers) assert.deepEqual(answer, kept);
    });
});

describe('who may revoke', () => {
    const issuer_did = issuer.did;

    it('is the account, with any key or session of it', async () => {
        const { api_key } = await newKey(account);
        for (const by of [api_key, account.token]) {
            const { credential_id } = await newCredential();
            await expectOk(200, revokeCall(credential_id, { issuer_did }, { token: by }));
        }
    });

    it('is who issued it with a key of another account, and the owner of that key', async () => {
        for (const by of [unknownCaller, token]) {
            const { credential_id } = await issue(unknownCaller, issuer);
            await expectOk(200, revokeCall(credential_id, { issuer_did }, { token: by }));
        }
    });

    it('is no stranger, even with the right issuer or after registering its public key', async () => {
        const issued = await newCredential();
        const refused = revokeCall(issued.credential_id, { issuer_did }, { token: unknownCaller });
        await expectError(403, refused);
        const { public_key } = issuer;
        await expectOk(201, { method: 'POST', path: '/v1/did', token: unknownCaller, body: { public_key } });
        const { text } = await expectError(403, refused);
        assert.ok(!text.includes(account.user_id));
        await expectNotRevoked(issued);
    });

    it('must name the issuer', async () => {
        const issued = await newCredential();
        const other = await newDid(token);
        await expectError(403, revokeCall(issued.credential_id, { issuer_did: other.did }));
        await expectError(403, revokeCall(issued.credential_id, { issuer_did: other.did }, { token: unknownCaller }));
        await expectNotRevoked(issued);
    });

    it('is nobody for what does not exist', async () => {
        await expectError(404, revokeCall(UNKNOWN_ID, { issuer_did }));
        await expectError(404, revokeCall(UNKNOWN_ID, { issuer_did: (await newDid(unknownCaller)).did }));
    });
});

describe('a malformed revocation', () => {
    for (const [what, body] of [
        ['no body', undefined],
        ['no issuer', { reason: 'x' }],
        ['null for an issuer', { issuer_did: null }],
        ['a number for an issuer', { issuer_did: 5 }],
        ['an array of issuers', { issuer_did: [issuer.did] }],
        ['no DID for an issuer', { issuer_did: 'x' }],
        ['an issuer of another method', { issuer_did: 'did:web:x' }],
        ['a number for a reason', { issuer_did: issuer.did, reason: 5 }],
        ['an object for a reason', { issuer_did: issuer.did, reason: {} }],
        ['a reason of 2,001 characters', { issuer_did: issuer.did, reason: 'a'.repeat(2_001) }],
        ['NUL in the reason', { issuer_did: issuer.did, reason: 'a\0b' }],
        ['a lone surrogate in the reason', { issuer_did: issuer.did, reason: 'a\ud800b' }],
    ] as const) {
        it(`with ${what} is refused, and nothing is revoked`, async () => {
            const issued = await newCredential();
            await expectError(400, revokeCall(issued.credential_id, body));
            await expectNotRevoked(issued);
        });
    }

    const uuid = UNKNOWN_ID.slice('urn:uuid:'.length);
    for (const id of [
        'x',
        uuid,
        'urn:uuid:',
        'urn:uuid:x',
        `URN:UUID:${uuid}`,
        `urn:uuid:${uuid.toUpperCase()}`,
        `urn:uuid:${uuid.replaceAll('-', '')}`,
        `urn:uuid:{${uuid}}`,
        `urn:uuid:${uuid}0`,
        `urn:uuid:${uuid.slice(0, -1)}`,
        ` ${UNKNOWN_ID}`,
        `${UNKNOWN_ID} `,
        `${UNKNOWN_ID}\n`,
        `${UNKNOWN_ID}\0`,
        `${UNKNOWN_ID}/x`,
        "urn:uuid:' OR 1=1 --",
        'u'.repeat(12_000),
    ]) {
        it(`of ${JSON.stringify(id.slice(0, 60))} is refused, as is the question for its status`, async () => {
            await expectError(400, revokeCall(id, { issuer_did: issuer.did }));
            await expectError(400, statusCall(id));
        });
    }

    it('of an id of 100,000 characters is refused by its length', async () => {
        const answer = await exchange(requestText(`GET /v1/credentials/status/${'u'.repeat(100_000)}`));
        assert.equal(answer?.status, 431);
    });

    for (const unknown of [
        UNKNOWN_ID,
        'urn:uuid:00000000-0000-0000-0000-000000000000',
        'urn:uuid:11111111-1111-1111-1111-111111111111',
        'urn:uuid:ffffffff-ffff-ffff-ffff-ffffffffffff',
        'urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479',
    ]) {
        it(`of ${unknown} is well-formed, and finds nothing`, async () => {
            await expectError(404, statusCall(unknown));
            await expectError(404, revokeCall(unknown, { issuer_did: issuer.did }));
        });
    }
});
