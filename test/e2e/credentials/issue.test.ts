import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectError, expectOk } from '../support/client.ts';
import { openToken } from '../support/tokens.ts';
import { issueBody, newAccount, newKey, payloadOf, verify } from '../support/world.ts';
import { issuing, SUBJECT } from './issue.fixture.ts';

const { token, issuer, issueCall } = await issuing();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function total(): Promise<number> {
    return (await expectOk(200, { path: `/v1/credentials/by-issuer/${issuer.did}?limit=1`, token })).total;
}

describe('issuing', () => {
    it('returns a token that an independent implementation verifies with the key of the issuer', async () => {
        const began = Date.now();
        const data = await expectOk(201, issueCall({ expiration_date: '2999-12-31T23:59:59Z' }));
        const fields = [
            'credential_id',
            'issuer',
            'subject',
            'credential_type',
            'issued_at',
            'expires_at',
            'credential',
        ];
        assert.deepEqual(Object.keys(data).sort(), fields.sort());
        assert.match(
            data.credential_id,
            /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        assert.match(data.issued_at, TIME);
        assert.ok(Math.abs(Date.parse(data.issued_at) - began) < 5_000);
        const said = await openToken(data.credential, issuer.public_key);
        assert.deepEqual(said, payloadOf(data.credential));
        const { typ, ...rest } = said;
        assert.equal(typ, 'credential');
        assert.deepEqual(rest, {
            jti: data.credential_id,
            iss: issuer.did,
            sub: SUBJECT,
            credential_type: 'EmploymentCredential',
            iat: data.issued_at,
            exp: '2999-12-31T23:59:59.000Z',
            claims: { role: 'engineer' },
        });
        assert.equal(data.expires_at, rest['exp']);
        assert.equal(data.credential.split('.').length, 3);
    });

    it('omits expires_at if no expiration_date was sent', async () => {
        for (const more of [{}, { expiration_date: null }]) {
            const data = await expectOk(201, issueCall(more));
            assert.equal('expires_at' in data || 'exp' in payloadOf(data.credential), false);
        }
    });

    it('ignores fields that only the service sets', async () => {
        const forged = { credential_id: 'urn:uuid:x', issued_at: '2001-01-01', revoked: true, valid: true, typ: 'x' };
        const data = await expectOk(201, issueCall(forged));
        assert.notEqual(data.credential_id, forged.credential_id);
        assert.notEqual(data.issued_at.slice(0, 4), '2001');
        const status = await expectOk(200, { path: `/v1/credentials/status/${data.credential_id}`, token });
        assert.deepEqual(status, { credential_id: data.credential_id, revoked: false });
    });

    it('creates fifty different credentials for fifty calls at once', async () => {
        const issued = await Promise.all(Array.from({ length: 50 }, () => expectOk(201, issueCall())));
        assert.equal(new Set(issued.map(({ credential_id }) => credential_id)).size, 50);
        assert.equal(new Set(issued.map(({ credential }) => credential)).size, 50);
    });

    it('accepts an issuer of another account, and an issuer as its own subject', async () => {
        const { did, private_key } = issuer;
        const self = await expectOk(201, issueCall({}, did));
        assert.equal(self.subject, did);
        const otherCaller = (await newKey(await newAccount())).api_key;
        const body = issueBody({ ...issuer, did, private_key }, SUBJECT);
        await expectOk(201, { method: 'POST', path: '/v1/credentials', token: otherCaller, body });
    });
});

describe('a request to issue is refused unless', () => {
    for (const field of ['issuer_did', 'issuer_private_key', 'subject_did', 'credential_type', 'claims']) {
        it(`${field} is present and has its type`, async () => {
            const before = await total();
            const kinds = [undefined, null, 5, true, ['x'], field === 'claims' ? 'text' : {}];
            for (const value of kinds) {
                const { body } = await expectError(400, issueCall({ [field]: value }));
                assert.match(body.error, new RegExp(field));
            }
            assert.equal(await total(), before);
        });
    }
});

it('a field inside __proto__ does not count as a field of the body', async () => {
    const { credential_type, ...rest } = issueBody(issuer, SUBJECT);
    const body = `${JSON.stringify(rest).slice(0, -1)},"__proto__":{"credential_type":"${credential_type}"}}`;
    await expectError(400, { method: 'POST', path: '/v1/credentials', token, body });
});

describe('the parties of a credential:', () => {
    const { did } = issuer;
    for (const text of [
        '',
        'x',
        'did:web:a.example',
        did.slice(0, -1),
        `${did}#${did.slice(8)}`,
        ` ${did}`,
        did.toUpperCase(),
    ]) {
        it(`the issuer cannot be ${JSON.stringify(text.slice(0, 60))}`, async () => {
            await expectError(400, issueCall({ issuer_did: text }));
        });
    }

    for (const subject of [
        'did:web:example.com',
        'did:web:example.com:user:alice',
        'did:web:localhost%3A8443',
        'did:ethr:0x1:0xb9c5714089478a327f09197987f16f9e5d936e8a',
        'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc',
        `did:example:${'a'.repeat(1_000)}`,
    ]) {
        it(`the subject may be ${subject.slice(0, 60)}`, async () => {
            const { subject: answered, credential } = await expectOk(201, issueCall({}, subject));
            assert.equal(answered, subject);
            assert.equal((await verify(token, credential, did)).subject, subject);
        });
    }

    for (const subject of [
        '',
        'x',
        'did:',
        'did:web:',
        'did::x',
        'did:WEB:x',
        'DID:web:x',
        'did:web:x y',
        'did:web:x/path',
        'did:web:x?query=1',
        'did:web:x#fragment',
        'did:web:%zz',
        'did:web:é.example',
        'did:web:x\n',
        ' did:web:x',
        'https://example.com',
        `did:example:${'a'.repeat(3_000)}`,
    ]) {
        it(`the subject cannot be ${JSON.stringify(subject.slice(0, 60))}`, async () => {
            await expectError(400, issueCall({}, subject));
        });
    }
});

describe('the credential type', () => {
    for (const type of [
        'X',
        'a'.repeat(255),
        '\u{1F600}'.repeat(255),
        'Führerschein',
        'שלום',
        'a b',
        ' a ',
        'a"b\\c\nd',
        '__proto__',
    ]) {
        it(`may be ${JSON.stringify(type.slice(0, 20))} (${[...type].length})`, async () => {
            const data = await expectOk(201, issueCall({ credential_type: type }));
            assert.equal(data.credential_type, type);
            assert.equal((await verify(token, data.credential, issuer.did)).credential_type, type);
        });
    }

    for (const type of ['', ' ', '\t\n', 'a'.repeat(256), '\u{1F600}'.repeat(256)]) {
        it(`cannot be ${JSON.stringify(type.slice(0, 20))} (${[...type].length})`, async () => {
            await expectError(400, issueCall({ credential_type: type }));
        });
    }
});
