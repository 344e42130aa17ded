import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { newAccount, newDid, newKey } from '../support/world.ts';
import { didOf } from './did.fixture.ts';

const account = await newAccount();
const { api_key: token } = await newKey(account);
const known = await newDid(token);

describe('GET /v1/did/{did} and its document', () => {
    const get = (did: string, more = ''): Call => ({ path: `/v1/did/${encodeURIComponent(did)}${more}`, token });

    it('resolve for every account, with a key or a session, on every gateway', async () => {
        const otherCaller = await newAccount();
        for (const gateway of [0, 1]) {
            for (const by of [token, account.token, otherCaller.token]) {
                const { did, public_key } = known;
                assert.deepEqual(await expectOk(200, { ...get(did), token: by, gateway }), { did, public_key });
            }
        }
    });

    it('return the did:key document with the Ed25519 suite of 2020', async () => {
        const { did } = known;
        const multibase = did.slice('did:key:'.length);
        const method = `${did}#${multibase}`;
        assert.deepEqual((await expectOk(200, get(did, '/document'))).document, {
            '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/ed25519-2020/v1'],
            id: did,
            verificationMethod: [
                { id: method, type: 'Ed25519VerificationKey2020', controller: did, publicKeyMultibase: multibase },
            ],
            authentication: [method],
            assertionMethod: [method],
            capabilityInvocation: [method],
            capabilityDelegation: [method],
        });
    });

    it('answer 404 for an unregistered DID unless the query asks to derive it', async () => {
        const key = randomBytes(32);
        const did = didOf(key);
        for (const query of ['', '?derive=false']) await expectError(404, get(did, query));
        await expectError(404, get(did, '/document'));
        const publicKey = key.toString('base64');
        assert.deepEqual(await expectOk(200, get(did, '?derive=true')), { did, public_key: publicKey });
        assert.equal((await expectOk(200, get(did, '/document?derive=true'))).document.id, did);
        await expectError(404, get(did));
        for (const query of ['?derive=1', '?derive=', '?derive=TRUE', '?derive=true&derive=true', '?derive=%zz']) {
            await expectError(400, get(did, query));
        }
    });

    const { did } = known;
    const malformed: string[] = [
        'did:key:',
        'did:key:z',
        'did:key:z6Mk',
        'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
        did.slice(0, -1),
        `${did}1`,
        `${did}z`,
        did.replace('did:key:z', 'did:key:z1').slice(0, 56),
        did.replace('did:', 'DID:'),
        did.replace(':key:', ':KEY:'),
        did.replace('key:', 'key:1:'),
        did.replace('key:', 'key:1.1:'),
        did.replace('did:key:z', 'did:key:u'),
        did.replace('did:key:z', 'did:key:Z'),
        did.replace('z6Mk', 'Z6Mk'),
        ...['0', 'O', 'I', 'l', 'é', ' ', '\0'].map((character) => did.slice(0, -1) + character),
        ` ${did}`,
        `${did}\n`,
        `${did}#${did.slice(8)}`,
        `${did}?service=x`,
        `${did};v=1`,
        `${did}/path`,
        'did:web:example.com',
        'did:ethr:0x00',
        'x'.repeat(10_000),
        `did:key:z6Mk${'1'.repeat(10_000)}`,
        didOf(randomBytes(32), [0xec, 0x01]), // X25519
        didOf(randomBytes(33), [0xe7, 0x01]), // secp256k1
        didOf(randomBytes(33), [0x80, 0x24]), // P-256
        didOf(randomBytes(32), [0xeb, 0x01]), // BLS12-381 G2, truncated to this length
        didOf(randomBytes(32), [0xed]), // a truncated multicodec
        didOf(randomBytes(31)),
        didOf(randomBytes(33)),
        'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme',
        'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc',
        'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
    ];
    for (const text of malformed) {
        it(`refuse ${JSON.stringify(text.slice(0, 70))}`, async () => {
            for (const more of ['', '/document', '?derive=true']) {
                const { body } = await expectError(400, get(text, more));
                assert.ok(!body.error.includes(text));
            }
        });
    }
});
