import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { PublicProtocol } from 'paseto';
import { ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory } from 'paseto/v4/public';
import { decodeBase64Url, encodeBase64Url } from '../../../../platform/base64.ts';
import { isToken, MAX_TOKEN_LENGTH, preAuthEncode, splitToken, verifyToken } from '../../../../tokens/v4-public.ts';
import { generateKeyPair, secretKeyBytes, verify } from '../../../../workers/crypto/ed25519.ts';
import { signPublic, signToken } from '../../../../workers/crypto/paseto.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const NODE = { decodeBase64Url, verify };
const NOTHING = new Uint8Array(0);
const { seed, public_key } = generateKeyPair();
const payload = JSON.stringify({ iss: 'did:key:z6Mk', claims: { name: 'Ada', note: '\u{1f600}' } });
const token = signToken(payload, seed, public_key);

const other = new PublicProtocol(ImportPublicKeyFactory, ImportSecretKeyFactory, SignFactory, VerifyFactory);

/** Whether a text opens as a token of this file's key. */
function verifies(text: string): boolean {
    const parts = splitToken(text, NODE);
    return parts !== undefined && verifyToken(parts, public_key, NODE);
}

test('another implementation verifies our tokens', async () => {
    const key = await other.ImportPublicKey(`k4.public.${encodeBase64Url(public_key)}`);
    const { claims } = await other.Verify(key, token, { allowNonExpiring: true });
    assert.deepEqual(claims, JSON.parse(payload));
});

test('the tokens of another implementation verify here', async () => {
    const key = await other.ImportSecretKey(`k4.secret.${encodeBase64Url(secretKeyBytes(seed, public_key))}`);
    const foreign = await other.Sign(key, JSON.parse(payload), { addIssuedAt: false, nonExpiring: true });
    assert.equal(verifies(foreign), true);
    assert.deepEqual(
        JSON.parse(Buffer.from(splitToken(foreign, NODE)?.message ?? NOTHING).toString()),
        JSON.parse(payload),
    );
    assert.equal(foreign, token, 'Ed25519 is deterministic');
});

test('a token with another last character does not verify', () => {
    for (let round = 0; round < 100; round++) {
        // Every length modulo 3, since the last character carries 2, 4 or 6 bits.
        const text = signToken(JSON.stringify({ pad: 'x'.repeat(round) }), seed, public_key);
        assert.equal(verifies(text), true);
        for (const last of BASE64URL.replace(text.at(-1) ?? '', '')) {
            assert.equal(verifies(text.slice(0, -1) + last), false, `${text} with ${last}`);
        }
    }
});

test('no character of a token can be replaced, dropped or doubled', () => {
    fc.assert(
        fc.property(
            fc.nat(token.length - 1),
            fc.constantFrom(...BASE64URL, '.', '=', ' ', '!', ''),
            (at, character) => {
                const text = token.slice(0, at) + character + token.slice(at + 1);
                if (text !== token) assert.equal(verifies(text), false, text);
                assert.equal(verifies(token.slice(0, at) + token[at] + token.slice(at)), false);
            },
        ),
        { numRuns: 500 },
    );
});

test('a token with a footer or an implicit assertion never verifies, even if that was signed', () => {
    const message = Buffer.from(payload);
    const bytes = Buffer.from('{"kid":"1"}');
    const withFooter = signPublic({ message, footer: bytes, implicit: NOTHING, seed, public_key });
    const withAssertion = signPublic({ message, footer: NOTHING, implicit: bytes, seed, public_key });
    assert.equal(isToken(withFooter), true);
    for (const text of [withFooter, withAssertion, `${token}.${encodeBase64Url(bytes)}`]) {
        assert.equal(verifies(text), false, text);
    }
});

test('only a text in the form of a v4.public token is a token', () => {
    const body = token.slice('v4.public.'.length);
    const smallest = `v4.public.${encodeBase64Url(new Uint8Array(66))}`;
    for (const text of [token, smallest, `${token}.Zm9v`]) assert.equal(isToken(text), true, text);
    const wrong = [
        '',
        'v4.public.',
        'v4.public.AA',
        `v4.public.${encodeBase64Url(new Uint8Array(65))}`,
        `${token}.`,
        `${token}.a.b`,
    ];
    const headers = ['v4.local.', 'v3.public.', 'V4.public.', 'v4.PUBLIC.', 'v4public.', ' v4.public.'].map(
        (header) => header + body,
    );
    for (const text of [
        ...wrong,
        ...headers,
        `${token}=`,
        `${token}\n`,
        `${token} `,
        token.replace('v4.public.e', 'v4.public.+'),
    ]) {
        assert.equal(isToken(text), false, text);
        assert.equal(splitToken(text, NODE), undefined, text);
    }
    const longest = `v4.public.${'A'.repeat(MAX_TOKEN_LENGTH - 'v4.public.'.length)}`;
    assert.equal(isToken(longest), true);
    assert.equal(isToken(`${longest}A`), false);
});

test('PAE gives the examples of the specification', () => {
    const hex = (...pieces: string[]) =>
        Buffer.from(preAuthEncode(pieces.map((piece) => Buffer.from(piece)))).toString('hex');
    assert.equal(hex(), '0000000000000000');
    assert.equal(hex(''), '01000000000000000000000000000000');
    assert.equal(hex('test'), '0100000000000000040000000000000074657374');
});

test('PAE encodes lengths of more than 16 and 24 bits', () => {
    for (const [length, littleEndian] of [
        [0x01_23_45, '4523010000000000'],
        [0x01_00_00, '0000010000000000'],
        [0x01_00_00_01, '0100000100000000'],
    ] as const) {
        const encoded = Buffer.from(preAuthEncode([new Uint8Array(length)]));
        assert.equal(encoded.subarray(0, 16).toString('hex'), `0100000000000000${littleEndian}`);
        assert.equal(encoded.length, 16 + length);
    }
});

test('another implementation verifies a token of more than 64 KiB', async () => {
    const key = await other.ImportPublicKey(`k4.public.${encodeBase64Url(public_key)}`);
    const long = { note: 'x'.repeat(200_000) };
    const { claims } = await other.Verify(key, signToken(JSON.stringify(long), seed, public_key), {
        allowNonExpiring: true,
    });
    assert.deepEqual(claims, long);
});

test('a token whose footer is not canonical base64url is not split', () => {
    assert.ok(splitToken(`${token}.Zg`, NODE));
    assert.equal(splitToken(`${token}.Zh`, NODE), undefined);
});

test('different pieces never have the same PAE', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3, max: 2 }), { maxLength: 3 });
    fc.assert(
        fc.property(pieces, pieces, (a, b) => {
            const same = a.length === b.length && a.every((piece, i) => Buffer.compare(piece, b[i] ?? NOTHING) === 0);
            assert.equal(Buffer.compare(preAuthEncode(a), preAuthEncode(b)) === 0, same);
        }),
        { numRuns: 5000 },
    );
});
