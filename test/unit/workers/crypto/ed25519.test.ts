import assert from 'node:assert/strict';
import test from 'node:test';
import sodium from 'sodium-native';
import {
    generateKeyPair,
    keyPairFrom,
    type PublicKey,
    publicKeyFrom,
    secretKeyBytes,
    sign,
    verify,
} from '../../../../workers/crypto/ed25519.ts';

const message = Buffer.from('message');

test('a private key is accepted as 32 bytes, or as 64 bytes whose halves belong together', () => {
    const { seed, public_key } = generateKeyPair();
    const whole = secretKeyBytes(seed, public_key);
    assert.equal(whole.length, 64);
    assert.deepEqual(keyPairFrom(seed), { seed, public_key });
    assert.deepEqual(keyPairFrom(whole), { seed, public_key });
    const foreign = secretKeyBytes(seed, generateKeyPair().public_key);
    for (const bad of [foreign, whole.subarray(0, 63), whole.subarray(0, 31), new Uint8Array(0), new Uint8Array(65)]) {
        assert.equal(keyPairFrom(bad), undefined);
    }
});

test('the 14 encodings of points of small order are refused as public keys, and other values below p are accepted', () => {
    const p = 2n ** 255n - 19n;
    const little = (y: bigint) => Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse();
    const eighth = BigInt(
        `0x${Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex').reverse().toString('hex')}`,
    );
    const bad = [0n, 1n, p - 1n, p, p + 1n, eighth, p - eighth].flatMap((y) => [little(y), little(y + 2n ** 255n)]);
    assert.equal(bad.length, 14);
    for (const bytes of bad) {
        assert.equal(publicKeyFrom(bytes), undefined, bytes.toString('hex'));
        // libsodium refuses them, too.
        assert.equal(sodium.crypto_core_ed25519_is_valid_point(bytes), false);
    }
    for (const y of [2n, p - 2n, eighth + 1n]) assert.deepEqual(publicKeyFrom(little(y)), little(y));
    for (const length of [0, 31, 33, 64]) assert.equal(publicKeyFrom(new Uint8Array(length).fill(9)), undefined);
});

test('a second encoding of a point, whose y is not below p, is refused as a public key with either sign', () => {
    const p = 2n ** 255n - 19n;
    const little = (y: bigint) => Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse();
    for (let above = 0n; above <= 18n; above++) {
        for (const sign of [0n, 2n ** 255n])
            assert.equal(publicKeyFrom(little(p + above + sign)), undefined, `${above}`);
    }
    // The same bytes with one of them decreased are below p.
    for (const index of [0, 1, 15, 30, 31]) {
        const bytes = little(p + 18n);
        bytes[index] = (bytes[index] ?? 0) - (index === 0 ? 0x14 : 1);
        assert.deepEqual(publicKeyFrom(bytes), bytes);
    }
});

test('a signature verifies only with its own key and message', () => {
    const { seed, public_key } = generateKeyPair();
    const signature = sign(message, seed, public_key);
    assert.equal(verify(signature, message, public_key), true);
    assert.equal(verify(signature, Buffer.from('Message'), public_key), false);
    assert.equal(verify(signature, message, generateKeyPair().public_key), false);
    assert.equal(verify(signature, message, new Uint8Array(32) as PublicKey), false); // 32 bytes
});

test('a signature of another length does not verify', () => {
    const { seed, public_key } = generateKeyPair();
    const signature = sign(message, seed, public_key);
    for (const bad of [signature.subarray(0, 63), Buffer.concat([signature, Buffer.alloc(1)]), new Uint8Array(0)]) {
        assert.equal(verify(bad, message, public_key), false);
    }
});
