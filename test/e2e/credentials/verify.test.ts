import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, expectError, expectOk } from '../support/client.ts';
import { signToken } from '../support/tokens.ts';
import { issue, newAccount, newDid, newKey, payloadOf, verify } from '../support/world.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const { api_key: token } = await newKey(await newAccount());
const issuer = await newDid(token);
const other = await newDid(token);
const issued = await issue(token, issuer);
const { credential } = issued;
const payload = payloadOf(credential);
const body = credential.slice('v4.public.'.length);

function verifyCall(fields: unknown): Call {
    return { method: 'POST', path: '/v1/credentials/verify', token, body: fields };
}

/** Asserts that a token is well-formed but does not verify, and that the answer repeats nothing of it. */
async function expectUnauthentic(text: string, issuerDid = issuer.did): Promise<void> {
    const { error, ...rest } = await verify(token, text, issuerDid, true);
    assert.deepEqual(rest, { valid: false, revoked: false, expired: false });
    assert.ok(typeof error === 'string' && error !== '');
}

/** Returns a token with this payload, signed with the issuer's key. */
function signed(changed: unknown, more: { footer?: string; implicit?: string; header?: string } = {}): string {
    return signToken({ private_key: issuer.private_key, payload: changed, ...more });
}

describe('a valid credential', () => {
    const { subject, issued_at } = issued;
    const valid = {
        valid: true,
        issuer: issuer.did,
        subject,
        credential_type: 'EmploymentCredential',
        issued_at,
        claims: { role: 'engineer' },
        revoked: false,
        expired: false,
    };

    it('verifies for every account, with and without a revocation check', async () => {
        const otherCaller = (await newKey(await newAccount())).api_key;
        for (const by of [token, otherCaller]) {
            for (const checkRevocation of [undefined, false, true]) {
                assert.deepEqual(await verify(by, credential, issuer.did, checkRevocation), valid);
            }
        }
        const withNull = verifyCall({ credential, issuer_did: issuer.did, check_revocation: null });
        assert.deepEqual(await expectOk(200, withNull), valid);
    });

    it('verifies by its signature alone if it was issued elsewhere', async () => {
        const jti = 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057';
        for (const check of [false, true]) {
            assert.deepEqual(await verify(token, signed({ ...payload, jti }), issuer.did, check), valid);
        }
        const { did, private_key } = other;
        const foreign = signToken({ private_key, payload: { ...payload, jti, iss: did, more: 1 } });
        assert.deepEqual(await verify(token, foreign, did), { ...valid, issuer: did });
    });
});

describe('a verify request is refused if it', () => {
    const { did } = issuer;
    const unfit: Array<[what: string, fields: unknown]> = [
        ['no fields', {}],
        ['no credential', { issuer_did: did }],
        ['no issuer', { credential }],
        ['null as credential', { credential: null, issuer_did: did }],
        ['a number as credential', { credential: 5, issuer_did: did }],
        ['an array as credential', { credential: [credential], issuer_did: did }],
        ['null as issuer', { credential, issuer_did: null }],
        ['an array as issuer', { credential, issuer_did: [did] }],
        ['a malformed issuer', { credential, issuer_did: 'did:key:x' }],
        ['an issuer of another method', { credential, issuer_did: 'did:web:example.com' }],
        ['an issuer with a fragment', { credential, issuer_did: `${did}#x` }],
        ['a string as check_revocation', { credential, issuer_did: did, check_revocation: 'true' }],
        ['a number as check_revocation', { credential, issuer_did: did, check_revocation: 1 }],
        ['an object as check_revocation', { credential, issuer_did: did, check_revocation: {} }],
    ];
    for (const [what, fields] of unfit) {
        it(`has ${what}`, async () => {
            await expectError(400, verifyCall(fields));
        });
    }

    const noTokens: Array<[what: string, text: string]> = [
        ['an empty string', ''],
        ['only the header of a token', 'v4.public.'],
        ['two characters after the header', 'v4.public.AA'],
        ['a token without header', body],
        ['a token of another purpose', `v4.local.${body}`],
        ['a token of another version', `v3.public.${body}`],
        ['a header in capitals', `V4.public.${body}`],
        ['a token with two more segments', `${credential}.AA.AA`],
        ['a token with an empty footer', `${credential}.`],
        ['a token with padding', `${credential}=`],
        ['a token with padding in pairs', `${credential}==`],
        ['a blank before a token', ` ${credential}`],
        ['a blank after a token', `${credential} `],
        ['a line end after a token', `${credential}\n`],
        ['a blank inside a token', `${credential.slice(0, 50)} ${credential.slice(50)}`],
        ['a token in the standard alphabet of base64', `v4.public.+/${body.slice(2)}`],
        ['a token with a non-ASCII character', `${credential}é`],
        [
            'a JWT',
            'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        ],
        ['JSON', JSON.stringify(payload)],
    ];
    for (const [what, text] of noTokens) {
        it(`has ${what} as credential`, async () => {
            await expectError(400, verifyCall({ credential: text, issuer_did: did }));
        });
    }

    it('has a credential of 1 MiB', async () => {
        await expectError(413, verifyCall({ credential: `v4.public.${'A'.repeat(1 << 20)}`, issuer_did: did }));
    });
});

describe('a token', () => {
    it('never verifies with another last character', async () => {
        for (const claims of [{ a: '' }, { a: 'x' }, { a: 'xx' }]) {
            const { credential: text } = await issue(token, issuer, { claims });
            const others = [...BASE64URL].filter((character) => character !== text.at(-1));
            assert.equal(others.length, 63);
            await Promise.all(others.map((last) => expectUnauthentic(text.slice(0, -1) + last)));
        }
    });

    it('never verifies with a changed bit, or shortened, or lengthened', async () => {
        const bytes = Buffer.from(body, 'base64url');
        const changed: string[] = [];
        for (let at = 0; at < bytes.length; at += 7) {
            const copy = Buffer.from(bytes);
            copy.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
            changed.push(copy.toString('base64url'));
        }
        for (const cut of [1, 2, 3, 4, 20, 64]) changed.push(body.slice(0, -cut), body.slice(cut));
        changed.push(`${body}A`, `${body}AA`, `A${body}`, body + body, `${body.slice(0, -4)}AAAA`);
        await Promise.all(changed.map((text) => expectUnauthentic(`v4.public.${text}`)));
    });

    it('never verifies with a footer, signed or not', async () => {
        await expectUnauthentic(`${credential}.AA`);
        await expectUnauthentic(`${credential}.${Buffer.from('{"kid":"x"}').toString('base64url')}`);
        const withFooter = signed(payload, { footer: '{"kid":"x"}' });
        await expectUnauthentic(withFooter);
        await expectUnauthentic(withFooter.slice(0, withFooter.lastIndexOf('.')));
    });

    it('never verifies with an implicit assertion or the signature of another header', async () => {
        await expectUnauthentic(signed(payload, { implicit: 'x' }));
        await expectUnauthentic(signed(payload, { header: 'v2.public.' }).replace('v2.', 'v4.'));
    });

    it('never verifies for another issuer', async () => {
        await expectUnauthentic(credential, other.did);
        await expectUnauthentic(signed({ ...payload, iss: other.did }));
        await expectUnauthentic(signed({ ...payload, iss: other.did }), other.did);
    });

    it('never verifies with the group order added to S', async () => {
        const order = 2n ** 252n + 27742317777372353535851937790883648493n;
        const bytes = Buffer.from(body, 'base64url');
        const s = BigInt(`0x${Buffer.from(bytes.subarray(-32)).reverse().toString('hex')}`) + order;
        const raised = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
        await expectUnauthentic(`v4.public.${Buffer.concat([bytes.subarray(0, -32), raised]).toString('base64url')}`);
    });
});

describe('a signed payload that is not a credential does not verify:', () => {
    const { jti, ...rest } = payload;
    const nested = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const text = JSON.stringify(payload);
    const payloads: Array<[what: string, changed: unknown]> = [
        ['a presentation', { ...payload, typ: 'presentation' }],
        ['without a type', { ...payload, typ: undefined }],
        ['without an id', rest],
        ['with an id of another form', { ...payload, jti: 'x' }],
        ['with an id that is not a string', { ...payload, jti: 5 }],
        ['without an issuer', { ...payload, iss: undefined }],
        ['without a subject', { ...payload, sub: undefined }],
        ['with a subject that is not a DID', { ...payload, sub: 'x' }],
        ['without a type of credential', { ...payload, credential_type: undefined }],
        ['with an empty type of credential', { ...payload, credential_type: '' }],
        ['without a time of issue', { ...payload, iat: undefined }],
        ['with a time of issue in seconds', { ...payload, iat: 1_700_000_000 }],
        ['with an expiry in seconds', { ...payload, exp: 5 }],
        ['with null as expiry', { ...payload, exp: null }],
        ['with an expiry that is not a date', { ...payload, exp: 'tomorrow' }],
        ['without claims', { ...payload, claims: undefined }],
        ['with claims that are not an object', { ...payload, claims: [] }],
        ['an array', [payload]],
        ['a string', '"x"'],
        ['a number', '12345'],
        ['null', 'null'],
        ['incomplete JSON', '{"typ":"credential"'],
        ['an empty object', {}],
        ['64 zero bytes', Buffer.alloc(64)],
        ['with a duplicate key', `${text.slice(0, -1)},"jti":${JSON.stringify(jti)}}`],
        ['with text after it', `${text} x`],
        ['not UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from(',"a":"\xff"}', 'latin1')])],
        ['with a lone surrogate', `${text.slice(0, -1)},"a":"\\ud800"}`],
        ['50,000 levels deep', nested],
        ['500 KB large', JSON.stringify({ a: 'x'.repeat(500_000) })],
    ];
    for (const [what, changed] of payloads) {
        it(what, async () => {
            await expectUnauthentic(signed(changed));
        });
    }
});
