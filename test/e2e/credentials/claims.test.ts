import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, expectError, expectOk, send } from '../support/client.ts';
import { newAccount, newDid, newKey } from '../support/world.ts';

const { api_key: token } = await newKey(await newAccount());
const issuer = await newDid(token);
const LIMIT = 65_536;

/** Issues a credential with exactly this text as its claims. */
function issueText(claims: string): Promise<Answer> {
    const { did, private_key } = issuer;
    const head = JSON.stringify({ issuer_did: did, issuer_private_key: private_key, subject_did: 'did:web:x' });
    const body = `${head.slice(0, -1)},"claims":${claims},"credential_type":"T"}`;
    return send({ method: 'POST', path: '/v1/credentials', token, body });
}

/** Verifies a credential, asserts that it is valid, and returns the text of the answer. */
async function verifiedText(credential: string, gateway = 0): Promise<string> {
    const body = { credential, issuer_did: issuer.did, check_revocation: true };
    const answer = await send({ method: 'POST', path: '/v1/credentials/verify', token, body, gateway });
    assert.equal(answer.data.valid, true, answer.text);
    return answer.text;
}

describe('claims come back as the text that was sent:', () => {
    const texts: Array<[what: string, claims: string]> = [
        ['no claims', '{}'],
        ['blanks alone', '{ \t\r\n }'],
        ['blanks inside', '{ "a" :\n[ 1 ,\t2 ] , "b":{ } }'],
        ['the order of keys that look like numbers', '{"b":1,"10":2,"9":3,"a":4,"-1":5,"01":6}'],
        ['a number with a point', '{"a":1.0,"b":1.10,"c":-0.0}'],
        ['exponents', '{"a":1E5,"b":1e+5,"c":100e-2,"d":1.5E-10}'],
        ['minus zero', '{"a":-0}'],
        ['more digits than a double has', '{"a":12345678901234567890,"b":0.1234567890123456789012345}'],
        ['numbers at the limits of a double', '{"a":1.7976931348623157e308,"b":5e-324,"c":1e-400}'],
        ['names of prototypes', '{"__proto__":{"a":1},"constructor":{"prototype":1},"hasOwnProperty":2,"toString":3}'],
        ['unnecessary escapes', '{"\\u0061":"\\u0041\\/\\u00e9","\\/":1}'],
        ['all escapes', '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\uD83D\\uDE00\\u001f"}'],
        ['emoji', '{"\u{1F600}":"\u{1F468}\u200D\u{1F469}\u200D\u{1F467}"}'],
        ['the replacement character', '{"a":"\uFFFD"}'],
        ['text from right to left', '{"שלום":"\u202Eمرحبا\u202C"}'],
        ['noncharacters, line separators and DEL', '{"a":"\uFFFE\uFFFF\u{10FFFF}\u2028\u2029\u007F"}'],
        ['two encodings of one letter', '{"\u00e9":1,"e\u0301":2}'],
        ['an empty key and empty values', '{"":"","a":[],"b":{},"c":null,"d":false}'],
        ['claims inside claims', '{"claims":{"claims":{"claims":1}},"metadata":{"a":1.0}}'],
        ['a string that looks like the end of the claims', '{"a":"}],\\"claims\\":{","b":"{[\\\\"}'],
        ['fields of a token', '{"typ":"x","jti":1,"iss":2,"exp":"2001-01-01","valid":false,"revoked":true}'],
        ['30 levels', `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`],
        ['30 levels of arrays', `{"a":${'['.repeat(30)}${']'.repeat(30)}}`],
        ['5,000 keys', `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`)}}`],
        ['60 KiB', `{"a":"${'x'.repeat(60 << 10)}"}`],
        ['exactly 64 KiB', `{"a":"${'x'.repeat(LIMIT - 8)}"}`],
        ['64 KiB of wide characters', `{"a":"${'\u{1F600}'.repeat((LIMIT - 8) / 4)}"}`],
    ];
    for (const [what, claims] of texts) {
        it(what, async () => {
            const issued = await issueText(claims);
            assert.equal(issued.status, 201, issued.text);
            const payload = Buffer.from(issued.data.credential.slice(10), 'base64url').subarray(0, -64).toString();
            assert.ok(payload.includes(`"claims":${claims}`), payload.slice(0, 500));
            for (const gateway of [0, 1]) {
                const text = await verifiedText(issued.data.credential, gateway);
                assert.ok(text.includes(`"claims":${claims}`), text.slice(0, 500));
            }
        });
    }

    it('names of prototypes, without changing a prototype', async () => {
        const { data } = await issueText('{"__proto__":{"polluted":true}}');
        await verifiedText(data.credential);
        const { text } = await send({ path: '/internal/health' });
        assert.ok(!text.includes('polluted'));
        assert.equal('polluted' in {}, false);
    });

    it('claims at any place in the body, with any spelling of their key', async () => {
        const { did, private_key } = issuer;
        const rest = `"issuer_did":"${did}","issuer_private_key":"${private_key}","subject_did":"did:web:x","credential_type":"T"`;
        for (const body of [
            `{"claims":{"a":1.0},${rest}}`,
            `{${rest}, "claims" : {"a":1.0} }`,
            `{${rest},"cl\\u0061ims":{"a":1.0}}`,
            `{"x":{"claims":{"b":2}},"y":[{"claims":{}}],${rest},"claims":{"a":1.0},"z":"\\"claims\\":{}"}`,
        ]) {
            const { credential } = await expectOk(201, { method: 'POST', path: '/v1/credentials', token, body });
            assert.match(await verifiedText(credential), /"claims":\{"a":1\.0\}/);
        }
    });
});

describe('claims are refused:', () => {
    const texts: Array<[what: string, claims: string]> = [
        ['null', 'null'],
        ['an array', '[]'],
        ['an array of objects', '[{}]'],
        ['a string', '"{}"'],
        ['a number', '1'],
        ['true', 'true'],
        ['NUL', '{"a":"\\u0000"}'],
        ['NUL in a key', '{"\\u0000":1}'],
        ['a lone high surrogate', '{"a":"\\uD83D"}'],
        ['a lone low surrogate', '{"a":"\\uDE00"}'],
        ['surrogates in the wrong order', '{"a":"\\uDE00\\uD83D"}'],
        ['a duplicate key', '{"a":1,"b":2,"a":3}'],
        ['a nested duplicate key', '{"x":[{"a":1,"\\u0061":2}]}'],
        ['a number too large for a double', '{"a":1e400}'],
        ['a negative number too large for a double', '{"a":[-1e309]}'],
        ['33 levels', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
        ['50,000 levels', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
        ['50,000 levels of arrays', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
        ['one byte more than 64 KiB', `{"a":"${'x'.repeat(LIMIT - 7)}"}`],
        ['one wide character more than 64 KiB', `{"a":"${'\u{1F600}'.repeat((LIMIT - 8) / 4 + 1)}"}`],
        ['more than 64 KiB because of blanks', `{${' '.repeat(LIMIT)}}`],
        ['90 KiB', `{"a":"${'x'.repeat(90 << 10)}"}`],
        ['10,000 keys', `{${Array.from({ length: 10_000 }, (_, index) => `"k${index}":1`)}}`],
        ['text that is not JSON', '{"a":}'],
        ['two objects', '{}{}'],
    ];
    for (const [what, claims] of texts) {
        it(what, async () => {
            const answer = await issueText(claims);
            assert.equal(answer.status, 400, answer.text);
            assert.equal(answer.body.status, 'error');
        });
    }

    it('1 MiB', async () => {
        assert.equal((await issueText(`{"a":"${'x'.repeat(1 << 20)}"}`)).status, 413);
    });

    it('two members named claims', async () => {
        const { did, private_key } = issuer;
        const body = `{"issuer_did":"${did}","issuer_private_key":"${private_key}","subject_did":"did:web:x","credential_type":"T","claims":{},"claims":{"a":1}}`;
        await expectError(400, { method: 'POST', path: '/v1/credentials', token, body });
    });
});
