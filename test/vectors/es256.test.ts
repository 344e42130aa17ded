import assert from 'node:assert/strict';
import test from 'node:test';
import bs58 from 'bs58';
import { decodeP256DidKey } from '../../tokens/p256-did-key.ts';
import { encodeP256DidKey } from '../../workers/crypto/did-key.ts';
import {
    type P256PublicKey,
    type P256Secret,
    publicKeyOf,
    sign,
    signingKeyOf,
    verify,
} from '../../workers/crypto/es256.ts';
import nistCurves from './did-key/nist-curves.json' with { type: 'json' };
import rfc6979 from './rfc6979/p256.json' with { type: 'json' };

/** The secret and the public key that numbers in hex or base64url stand for. */
function pairOf(key: { d: string; x: string; y: string }, encoding: 'hex' | 'base64url') {
    const [d, x, y] = [key.d, key.x, key.y].map((number) => Buffer.from(number, encoding)) as [Buffer, Buffer, Buffer];
    const secret = new Uint8Array(d) as P256Secret; // 32 bytes
    return { secret, publicKey: Uint8Array.of(0x02 | ((y[31] ?? 0) & 1), ...x) as P256PublicKey }; // 33 bytes
}

const { secret, publicKey } = pairOf({ d: rfc6979.secretKey, ...rfc6979 }, 'hex');

test('RFC 6979 A.2.5: the secret has the public key', () => {
    assert.deepEqual(publicKeyOf(secret), publicKey);
});

for (const { message, r, s } of rfc6979.sha256) {
    test(`RFC 6979 A.2.5: the signature of "${message}" is valid, and no other one`, () => {
        const signature = Buffer.from(r + s, 'hex');
        assert.equal(verify(signature, Buffer.from(message), publicKey), true);
        assert.equal(verify(signature, Buffer.from(`${message}.`), publicKey), false);
        for (const at of [0, 31, 32, 63]) {
            const changed = Uint8Array.from(signature, (byte, index) => byte ^ Number(index === at));
            assert.equal(verify(changed, Buffer.from(message), publicKey), false, `byte ${at}`);
        }
        const own = sign(Buffer.from(message), signingKeyOf(secret));
        assert.equal(verify(own, Buffer.from(message), publicKey), true);
    });
}

const p256 = Object.entries(nistCurves).filter(([did]) => did.startsWith('did:key:zDn'));
assert.equal(p256.length, 3);

for (const [did, { verificationMethod: key }] of p256) {
    test(`${did}: DID and key are each other's`, () => {
        const pair =
            'publicKeyBase58' in key
                ? { secret: bs58.decode(key.privateKeyBase58), publicKey: bs58.decode(key.publicKeyBase58) }
                : pairOf(key.privateKeyJwk, 'base64url');
        assert.deepEqual(decodeP256DidKey(did), pair.publicKey);
        assert.equal(encodeP256DidKey(pair.publicKey as P256PublicKey), did); // 33 bytes
        assert.deepEqual(publicKeyOf(pair.secret as P256Secret), pair.publicKey); // 32 bytes
    });
}
