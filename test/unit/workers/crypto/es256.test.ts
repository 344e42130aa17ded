import assert from 'node:assert/strict';
import test from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import { decodeDidKey } from '../../../../tokens/did-key.ts';
import { decodeP256DidKey, type P256PublicKey } from '../../../../tokens/p256-did-key.ts';
import { encodeP256DidKey } from '../../../../workers/crypto/did-key.ts';
import { generateKeyPair, publicKeyOf, sign, signingKeyOf, verify } from '../../../../workers/crypto/es256.ts';

const message = fc.uint8Array({ maxLength: 200 });
/** 33 bytes, not all of them points of the curve. */
const publicKey = fc
    .tuple(fc.constantFrom(2, 3), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([form, x]) => Uint8Array.of(form, ...x) as P256PublicKey);
const NOBLE = { lowS: false };

test('another implementation verifies what is signed here, and the reverse', () => {
    fc.assert(
        fc.property(message, (bytes) => {
            const { public_key, secret } = generateKeyPair();
            assert.deepEqual(public_key, p256.getPublicKey(secret));
            assert.deepEqual(public_key, publicKeyOf(secret));
            const signature = sign(bytes, signingKeyOf(secret));
            assert.equal(signature.length, 64);
            assert.equal(p256.verify(signature, bytes, public_key, NOBLE), true);
            assert.equal(verify(p256.sign(bytes, secret), bytes, public_key), true);
        }),
        { numRuns: 50 },
    );
});

test('a changed signature, message or key is refused', () => {
    const { public_key, secret } = generateKeyPair();
    const signature = sign(Buffer.from('signed'), signingKeyOf(secret));
    fc.assert(
        fc.property(fc.nat(63), fc.integer({ min: 1, max: 255 }), (at, change) => {
            const changed = signature.map((byte, index) => (index === at ? byte ^ change : byte));
            assert.equal(verify(changed, Buffer.from('signed'), public_key), false);
        }),
    );
    for (const length of [0, 1, 63, 65, 72]) {
        const cut = new Uint8Array(length);
        cut.set(signature.subarray(0, length));
        assert.equal(verify(cut, Buffer.from('signed'), public_key), false, `${length} bytes`);
    }
    assert.equal(verify(signature, Buffer.from('changed'), public_key), false);
    assert.equal(verify(signature, Buffer.from('signed'), generateKeyPair().public_key), false);
    assert.equal(verify(new Uint8Array(64), Buffer.from('signed'), public_key), false, 'r and s are 0');
});

test('nothing is valid for a key that is no point of the curve', () => {
    const signature = sign(Buffer.from('signed'), signingKeyOf(generateKeyPair().secret));
    const others = [new Uint8Array(33), Uint8Array.of(2, ...new Uint8Array(32).fill(255))] as P256PublicKey[];
    fc.assert(
        fc.property(fc.oneof(publicKey, fc.constantFrom(...others)), (key) => {
            assert.equal(verify(signature, Buffer.from('signed'), key), false);
        }),
    );
});

test('a secret has 32 bytes, even if its number begins with zeros', () => {
    const pairs = Array.from({ length: 3_000 }, generateKeyPair);
    assert.ok(pairs.some(({ secret }) => secret[0] === 0));
    for (const { secret } of pairs) assert.equal(secret.length, 32);
    for (const { secret, public_key } of pairs.filter(({ secret: [first] }) => first === 0)) {
        assert.deepEqual(publicKeyOf(secret), public_key);
        assert.equal(
            verify(sign(Buffer.from('signed'), signingKeyOf(secret)), Buffer.from('signed'), public_key),
            true,
        );
    }
});

test('a signature has 64 bytes, even if one of its numbers begins with zeros', () => {
    const { public_key, secret } = generateKeyPair();
    const key = signingKeyOf(secret);
    const short = [false, false];
    for (let number = 0; short.includes(false); number++) {
        const message = Buffer.from(String(number));
        const signature = sign(message, key);
        assert.equal(p256.verify(signature, message, public_key, NOBLE), true);
        for (const half of [0, 1]) short[half] ||= signature[32 * half] === 0;
    }
});

test('each P-256 key has one DID of 57 characters, which is no DID of an Ed25519 key', () => {
    const edges = [0, 255].map(
        (byte) => Uint8Array.of(2 + (byte & 1), ...new Uint8Array(32).fill(byte)) as P256PublicKey,
    );
    fc.assert(
        fc.property(fc.oneof(fc.constantFrom(...edges), publicKey), (key) => {
            const did = encodeP256DidKey(key);
            assert.equal(did.length, 57);
            assert.deepEqual(decodeP256DidKey(did), key);
            assert.equal(decodeDidKey(did), undefined);
        }),
    );
});

test('everything but the exact form of a P-256 did:key is refused', () => {
    const did = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';
    const encoded = (...bytes: number[]) => `did:key:z${bs58.encode(Uint8Array.from(bytes))}`;
    const x = new Uint8Array(32).fill(7);
    const others = [
        '',
        'did:key:zDnae',
        `${did}1`,
        did.slice(0, -1),
        `${did}#${did.slice(8)}`,
        did.replace('zDn', 'z1Dn'),
        did.replace('9', '0'),
        encoded(0x80, 0x24, 0x01, ...x),
        encoded(0x80, 0x24, 0x04, ...x),
        encoded(0x80, 0x24, 0x02, ...x, 7),
        encoded(0x80, 0x25, 0x02, ...x),
        encoded(0xe7, 0x01, 0x02, ...x),
        `did:key:zDnae${'1'.repeat(44)}`,
        `did:key:zDnae${'z'.repeat(44)}`,
        'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    ];
    assert.notEqual(decodeP256DidKey(did), undefined);
    for (const other of others) assert.equal(decodeP256DidKey(other), undefined, other);
});
