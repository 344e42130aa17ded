import assert from 'node:assert/strict';
import { it } from 'node:test';
import { p256 } from '@noble/curves/nist.js';
import { numberToBytesBE } from '@noble/curves/utils.js';
import { seededRandom } from '../../../proof/fuzz/random.ts';
import type { P256PublicKey } from '../../../tokens/p256-did-key.ts';
import { verifyEs256 } from '../../../verify/src/p256.ts';
import { generateKeyPair, sign, signingKeyOf, verify } from '../../../workers/crypto/es256.ts';

const ORDER = p256.Point.Fn.ORDER;
const FIELD = p256.Point.Fp.ORDER;
const random = seededRandom('p256');
const pair = generateKeyPair();
const other = generateKeyPair();

const number = (value: bigint): Uint8Array => numberToBytesBE(value, 32);
const ODD = [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, FIELD, 2n ** 256n - 1n].map(number);

/** Returns the verdict of both implementations, which must agree. */
function verdict(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array = pair.public_key): boolean {
    const service = verify(signature, message, publicKey as P256PublicKey); // also bytes that are none
    assert.equal(verifyEs256(signature, message, publicKey), service, Buffer.from(signature).toString('hex'));
    return service;
}

it('a signature of the service is valid for the offline verifier, in both of its forms', () => {
    for (let i = 0; i < 50; i++) {
        const message = Buffer.from(`message ${i}`);
        const signature = sign(message, signingKeyOf(pair.secret));
        assert.equal(verdict(signature, message), true);
        const s = ORDER - BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
        assert.equal(verdict(Buffer.concat([signature.subarray(0, 32), number(s)]), message), true);
        assert.equal(verdict(signature, Buffer.from('other')), false);
        assert.equal(verdict(signature, message, other.public_key), false);
    }
});

it('service and offline verifier agree on signatures and keys that are wrong', () => {
    const message = Buffer.from('message');
    const signature = Buffer.from(sign(message, signingKeyOf(pair.secret)));
    for (let i = 0; i < 200; i++) {
        const [changed, publicKey] = [Buffer.from(signature), Buffer.from(pair.public_key)];
        const target = random.oneIn(2) ? changed : publicKey;
        const at = random.below(target.length);
        target[at] = (target[at] ?? 0) ^ (1 << random.below(8));
        assert.equal(verdict(changed, message, publicKey), false);
    }
    for (const r of ODD) {
        for (const s of ODD) assert.equal(verdict(Buffer.concat([r, s]), message), false);
        for (const form of [0, 2, 3, 4, 5]) verdict(signature, message, Buffer.concat([Buffer.of(form), r]));
    }
    for (const length of [0, 1, 63, 65, 72]) assert.equal(verdict(Buffer.alloc(length, signature), message), false);
    for (const length of [0, 1, 32, 34, 65]) assert.equal(verdict(signature, message, Buffer.alloc(length, 4)), false);
});
