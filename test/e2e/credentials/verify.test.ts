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

/** Checks that a token is taken for one, and found wanting, with nothing of it repeated. */
async function expectUnauthentic(text: string, issuer_did = issuer.did): Promise<void> {
    const { error, ...rest } = await verify(token, text, issuer_did, true);
    assert.deepEqual(rest, { valid: false, revoked: false, expired: false });
    assert.ok(typeof error === 'string' && error !== '');
}

/** A token of this payload, signed with the issuer's own key. */
function signed(changed: unknown, more: { footer?: string; implicit?: string; header?: string } = {}): string {
    return signToken({ private_key: issuer.private_key, payload: changed, ...more });
}

describe('a good credential', () => {
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

    it('verifies for everybody, with or without a look at its revocation', async () => {
        const unknownCaller = (await newKey(await newAccount())).api_key;
        for (const by of [token, unknownCaller]) {
            for (const check_revocation of [undefined, false, true]) {
                assert.deepEqual(await verify(by, credential, issuer.did, check_revocation), valid);
            }
        }
        assert.deepEqual(
            await expectOk(200, verifyCall({ credential, issuer_did: issuer.did, check_revocation: null })),
            valid,
        );
    });

    it('verifies by its key alone when it was issued elsewhere', async () => {
        const jti = 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057';
        for (const check of [false, true]) {
            assert.deepEqual(await verify(token, signed({ ...payload, jti }), issuer.did, check), valid);
        }
        const { did, private_key } = other;
        const foreign = signToken({ private_key, payload: { ...payload, jti, iss: did, more: 1 } });
        assert.deepEqual(await verify(token, foreign, did), { ...valid, issuer: did });
    });
});

describe('a request that is refused', () => {
    const { did } = issuer;
    const unfit: Array<[what: string, fields: unknown]> = [
        ['no fields', {}],
        ['no credential', { issuer_did: did }],
        ['no issuer', { credential }],
        ['null for a credential', { credential: null, issuer_did: did }],
        ['a number for a credential', { credential: 5, issuer_did: did }],
        ['an array of credentials', { credential: [credential], issuer_did: did }],
        ['null for an issuer', { credential, issuer_did: null }],
        ['an array for an issuer', { credential, issuer_did: [did] }],
        ['a malformed issuer', { credential, issuer_did: 'did:key:x' }],
        ['an issuer of another method', { credential, issuer_did: 'did:web:example.com' }],
        ['an issuer with fragment', { credential, issuer_did: `${did}#x` }],
        ['a flag as text', { credential, issuer_did: did, check_revocation: 'true' }],
        ['a flag as number', { credential, issuer_did: did, check_revocation: 1 }],
        ['a flag as object', { credential, issuer_did: did, check_revocation: {} }],
    ];
    for (const [what, fields] of unfit) {
        it(`has ${what}`, async () => {
            await expectError(400, verifyCall(fields));
        });
    }

    const no_tokens: Array<[what: string, text: string]> = [
        ['nothing', ''],
        ['a header alone', 'v4.public.'],
        ['two characters', 'v4.public.AA'],
        ['no header', body],
        ['another purpose', `v4.local.${body}`],
        ['another version', `v3.public.${body}`],
        ['capitals', `V4.public.${body}`],
        ['a fourth segment', `${credential}.AA.AA`],
        ['an empty footer', `${credential}.`],
        ['padding', `${credential}=`],
        ['padding in pairs', `${credential}==`],
        ['a blank before', ` ${credential}`],
        ['a blank after', `${credential} `],
        ['a line end', `${credential}\n`],
        ['a blank inside', `${credential.slice(0, 50)} ${credential.slice(50)}`],
        ['the standard alphabet', `v4.public.+/${body.slice(2)}`],
        ['Unicode', `${credential}é`],
        [
            'a JWT',
            'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        ],
        ['JSON', JSON.stringify(payload)],
    ];
    for (const [what, text] of no_tokens) {
        it(`has ${what} for a token`, async () => {
            await expectError(400, verifyCall({ credential: text, issuer_did: did }));
        });
    }

    it('has a token of 1 MiB', async () => {
        await expectError(413, verifyCall({ credential: `v4.public.${'A'.repeat(1 << 20)}`, issuer_did: did }));
    });
});

describe('a token that is not as it was signed', () => {
    it('never verifies with another last character', async () => {
        for (const claims of [{ a: '' }, { a: 'x' }, { a: 'xx' }]) {
            const { credential: text } = await issue(token, issuer, { claims });
            const others = [...BASE64URL].filter((character) => character !== text.at(-1));
            assert.equal(others.length, 63);
            await Promise.all(others.map((last) => expectUnauthentic(text.slice(0, -1) + last)));
        }
    });

    it('never verifies with a bit of it changed, or cut, or made longer', async () => {
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
        const with_footer = signed(payload, { footer: '{"kid":"x"}' });
        await expectUnauthentic(with_footer);
        await expectUnauthentic(with_footer.slice(0, with_footer.lastIndexOf('.')));
    });

    it('never verifies with an implicit assertion, or under another header', async () => {
        await expectUnauthentic(signed(payload, { implicit: 'x' }));
        await expectUnauthentic(signed(payload, { header: 'v2.public.' }).replace('v2.', 'v4.'));
    });

    it('never verifies under another issuer', async () => {
        await expectUnauthentic(credential, other.did);
        await expectUnauthentic(signed({ ...payload, iss: other.did }));
        await expectUnauthentic(signed({ ...payload, iss: other.did }), other.did);
    });

    it('never verifies with S raised by the order of the group', async () => {
        const order = 2n ** 252n + 27742317777372353535851937790883648493n;
        const bytes = Buffer.from(body, 'base64url');
        const s = BigInt(`0x${Buffer.from(bytes.subarray(-32)).reverse().toString('hex')}`) + order;
        const raised = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
        await expectUnauthentic(`v4.public.${Buffer.concat([bytes.subarray(0, -32), raised]).toString('base64url')}`);
    });
});

describe('a signed payload that is no credential', () => {
    const { jti, ...rest } = payload;
    const nested = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const text = JSON.stringify(payload);
    const payloads: Array<[what: string, changed: unknown]> = [
        ['a presentation', { ...payload, typ: 'presentation' }],
        ['of no type', { ...payload, typ: undefined }],
        ['without an id', rest],
        ['with an id of another form', { ...payload, jti: 'x' }],
        ['with an id that is no text', { ...payload, jti: 5 }],
        ['without an issuer', { ...payload, iss: undefined }],
        ['without a subject', { ...payload, sub: undefined }],
        ['with a subject that is no DID', { ...payload, sub: 'x' }],
        ['without a type of credential', { ...payload, credential_type: undefined }],
        ['with an empty type of credential', { ...payload, credential_type: '' }],
        ['without a time of issue', { ...payload, iat: undefined }],
        ['with a time of issue in seconds', { ...payload, iat: 1_700_000_000 }],
        ['with an expiry in seconds', { ...payload, exp: 5 }],
        ['with an expiry of null', { ...payload, exp: null }],
        ['with an expiry that is no time', { ...payload, exp: 'tomorrow' }],
        ['without claims', { ...payload, claims: undefined }],
        ['with claims that are no object', { ...payload, claims: [] }],
        ['an array', [payload]],
        ['a text', '"x"'],
        ['a number', '12345'],
        ['null', 'null'],
        ['no JSON', '{"typ":"credential"'],
        ['an empty object', {}],
        ['of 64 bytes of nothing', Buffer.alloc(64)],
        ['with a key twice', `${text.slice(0, -1)},"jti":${JSON.stringify(jti)}}`],
        ['with text after it', `${text} x`],
        ['no UTF-8', Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from(',"a":"\xff"}', 'latin1')])],
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
