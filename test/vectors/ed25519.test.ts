import assert from 'node:assert/strict';
import test from 'node:test';
import { verifySignature } from '../../verify/src/ed25519.ts';
import {
    keyPairFrom,
    type PublicKey,
    publicKeyFrom,
    publicKeyOf,
    type Seed,
    sign,
    verify,
} from '../../workers/crypto/ed25519.ts';
import speccheck from './ed25519-speccheck/cases.json' with { type: 'json' };
import paserkPublic from './paseto/PASERK/k4.public.json' with { type: 'json' };
import paserkSecret from './paseto/PASERK/k4.secret.json' with { type: 'json' };
import rfc8032 from './rfc8032/ed25519.json' with { type: 'json' };

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');

/** The service and the offline verifier must agree. */
const verifiers = { libsodium: verify, 'the offline verifier': verifySignature };

for (const vector of rfc8032) {
    test(`RFC 8032 7.1 ${vector.name}: key, signature and check agree`, () => {
        const seed = bytes(vector.secretKey) as Seed; // a 32-byte secret key of the RFC
        const publicKey = publicKeyOf(seed);
        assert.equal(hex(publicKey), vector.publicKey);
        const signature = sign(bytes(vector.message), seed, publicKey);
        assert.equal(hex(signature), vector.signature);
        const changed = Uint8Array.of((signature[0] ?? 0) ^ 1, ...signature.subarray(1));
        for (const [name, accepts] of Object.entries(verifiers)) {
            assert.equal(accepts(signature, bytes(vector.message), publicKey), true, name);
            assert.equal(accepts(changed, bytes(vector.message), publicKey), false, name);
        }
    });
}

assert.equal(speccheck.length, 12);
speccheck.forEach((vector, number) => {
    test(`speccheck ${number} is ${number === 3 ? 'accepted' : 'refused'}`, () => {
        // As a key inside a DID would arrive: any 32 bytes.
        const publicKey = bytes(vector.pub_key) as PublicKey;
        for (const [name, accepts] of Object.entries(verifiers)) {
            assert.equal(accepts(bytes(vector.signature), bytes(vector.message), publicKey), number === 3, name);
        }
    });
});

test('the small-order keys of speccheck cannot be registered', () => {
    const smallOrder = speccheck.filter((vector) => publicKeyFrom(bytes(vector.pub_key)) === undefined);
    assert.deepEqual(
        smallOrder.map((vector) => speccheck.indexOf(vector)),
        [0, 1, 10, 11],
    );
});

for (const vector of paserkSecret.tests) {
    test(`${vector.name}: ${vector['expect-fail'] ? 'refused' : 'taken'} as a private key`, () => {
        const pair = keyPairFrom(bytes(vector.key));
        if (vector['expect-fail']) assert.equal(pair, undefined);
        else assert.equal(hex(pair?.public_key ?? bytes('')), vector['public-key']);
    });
}

for (const vector of paserkPublic.tests) {
    test(`${vector.name}: ${vector['expect-fail'] ? 'refused' : 'judged by its length and order'} as a public key`, () => {
        const key = publicKeyFrom(bytes(vector.key));
        const refused = vector['expect-fail'] || vector.key === '00'.repeat(32); // y = 0 has order 4
        assert.equal(key === undefined, refused);
    });
}
