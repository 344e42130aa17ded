import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { verifySignature } from '../../../verify/src/ed25519.ts';
import { generateKeyPair, type PublicKey, sign, verify } from '../../../workers/crypto/ed25519.ts';

const { Point } = ed25519;
type Point = InstanceType<typeof Point>;
const torsion = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex));
const message = Buffer.from('a message');

/** Asserts that both accept the signature, or both refuse it. Returns whether they accept it. */
function agree(signature: Uint8Array, key: Uint8Array, text: Uint8Array = message): boolean {
    const expected = verify(signature, text, key as PublicKey); // libsodium takes any 32 bytes
    const bytes = [signature, key].map((part) => Buffer.from(part).toString('hex')).join(' ');
    assert.equal(verifySignature(signature, text, key), expected, bytes);
    return expected;
}

test('a changed signature, key or message gets the verdict of libsodium', () => {
    const { seed, public_key } = generateKeyPair();
    const signature = sign(message, seed, public_key);
    assert.equal(agree(signature, public_key), true);
    const flipped = (bytes: Uint8Array, at: number) =>
        bytes.map((byte, index) => (index === at >> 3 ? byte ^ (1 << (at & 7)) : byte));
    for (let at = 0; at < 512; at++) assert.equal(agree(flipped(signature, at), public_key), false);
    for (let at = 0; at < 256; at++) assert.equal(agree(signature, flipped(public_key, at)), false);
    assert.equal(agree(signature, public_key, Buffer.from('another message')), false);
    for (const length of [0, 63, 65]) assert.equal(verifySignature(new Uint8Array(length), message, public_key), false);
});

/** Signs with any point as key and R: with `ofKey` and `ofR` added to those that the secret and the nonce give. */
function forged(parts: { secret: bigint; nonce: bigint; ofKey?: Point; ofR?: Point; text?: Uint8Array }) {
    const { secret, nonce, ofKey = Point.ZERO, ofR = Point.ZERO, text = message } = parts;
    const key = Point.BASE.multiplyUnsafe(secret).add(ofKey).toBytes();
    const r = Point.BASE.multiplyUnsafe(nonce).add(ofR).toBytes();
    const challenge = bytesToNumberLE(hash('sha512', Buffer.concat([r, key, text]), 'buffer'));
    const s = Point.Fn.create(nonce + challenge * secret);
    return { key, r, s, challenge, text, signature: Buffer.concat([r, numberToBytesLE(s, 32)]) };
}

test('keys and signatures outside of the main subgroup get the verdict of libsodium', () => {
    const outcomes = { accepted: 0, refused: 0 };
    for (let round = 0; round < 128; round++) {
        const [ofKey, ofR] = [torsion[round % 8], torsion[(round >> 3) % 8]];
        const { key, r, s, signature } = forged({ secret: BigInt(round + 2), nonce: BigInt(round + 7), ofKey, ofR });
        outcomes[agree(signature, key) ? 'accepted' : 'refused']++;
        // The same signature with S beyond the order
        assert.equal(agree(Buffer.concat([r, numberToBytesLE(s + Point.Fn.ORDER, 32)]), key), false);
    }
    assert.ok(outcomes.accepted > 10 && outcomes.refused > 50, JSON.stringify(outcomes));
});

test('a key of small order is refused, even if the equation holds', () => {
    for (const ofKey of torsion) {
        // The challenge cancels the key in one of eight messages on average.
        for (let n = 0, found = false; !found; n++) {
            const { signature, key, challenge, text } = forged({
                secret: 0n,
                nonce: 7n,
                ofKey,
                text: Buffer.of(n, n >> 8),
            });
            found = ofKey.multiplyUnsafe(challenge % 8n).is0();
            assert.equal(agree(signature, key, text), false);
        }
    }
});

test('an R of small order is refused, even if the equation holds', () => {
    for (const ofR of torsion) {
        const { signature, key } = forged({ secret: 5n, nonce: 0n, ofR });
        assert.equal(agree(signature, key), false);
    }
});

test('every pair of small-order points, in each encoding, gets the verdict of libsodium', () => {
    const p = 2n ** 255n - 19n;
    const reduced = torsion.map((point) => point.toBytes());
    const again = [p, p + 1n].map((y) => numberToBytesLE(y, 32));
    const encodings = [...reduced, ...again].flatMap((bytes) => {
        const signed = bytes.slice();
        signed[31] = (signed[31] ?? 0) ^ 0x80;
        return [bytes, signed];
    });
    for (const key of encodings) {
        for (const r of encodings) {
            assert.equal(agree(Buffer.concat([r, new Uint8Array(32)]), key), false);
        }
    }
});

test('any bytes get the verdict of libsodium', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(fc.property(bytes(64), bytes(32), (signature, key) => void agree(signature, key)));
});
