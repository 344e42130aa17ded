import assert from 'node:assert/strict';
import test from 'node:test';
import { encodeDidKey } from '../../../../workers/crypto/did-key.ts';
import { generateKeyPair, type PublicKey } from '../../../../workers/crypto/ed25519.ts';
import { keyInDidUrl, keyInJwk, publicJwkIn } from '../../../../workers/crypto/holder-key.ts';

/** Whether each way to name a key of Ed25519 leads to one. */
function ways(key: PublicKey): boolean[] {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
    const didKey = encodeDidKey(key);
    const didJwk = `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`;
    const urls = [`${didKey}#${didKey.slice('did:key:'.length)}`, `${didJwk}#0`];
    const found = [keyInJwk(jwk), publicJwkIn(JSON.stringify(jwk)), ...urls.map(keyInDidUrl)];
    return found.map((value) => value !== undefined);
}

test('a key of Ed25519 is a point that a private key can have', () => {
    const p = 2n ** 255n - 19n;
    const little = (y: bigint) =>
        Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse() as Uint8Array as PublicKey;
    const eighth = Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex');
    const wrong: Array<[string, PublicKey]> = [
        ['zeros, of order 4', little(0n)],
        ['the identity', little(1n)],
        ['of order 2', little(p - 1n)],
        ['of order 8', eighth as Uint8Array as PublicKey],
        ['not on the curve', little(2n)],
        ['of an order eight times too large', little(3n)],
        ['a second encoding of a point', little(p + 3n)],
        ['ones', little(2n ** 256n - 1n)],
    ];
    for (const [what, key] of wrong) assert.deepEqual(ways(key), [false, false, false, false], what);
    for (let count = 0; count < 20; count++) {
        assert.deepEqual(ways(generateKeyPair().public_key), [true, true, true, true]);
    }
});
