import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import bs58 from 'bs58';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { encodeDidKey } from '../../workers/crypto/did-key.ts';
import { type PublicKey, publicKeyOf, type Seed } from '../../workers/crypto/ed25519.ts';
import ed25519 from './did-key/ed25519-x25519.json' with { type: 'json' };

for (const [did, vector] of Object.entries(ed25519)) {
    test(`${did}: DID and key are each other's`, () => {
        const { seed, verificationKeyPair: pair } = vector;
        const publicKey = (
            'publicKeyBase58' in pair
                ? bs58.decode(pair.publicKeyBase58)
                : new Uint8Array(Buffer.from(pair.publicKeyJwk.x, 'base64url'))
        ) as PublicKey; // 32 bytes in either form
        assert.equal(encodeDidKey(publicKey), did);
        assert.deepEqual(decodeDidKey(did), publicKey);
        if (seed !== undefined) {
            assert.deepEqual(publicKeyOf(new Uint8Array(Buffer.from(seed, 'hex')) as Seed), publicKey); // 32 bytes
        }
    });
}

const OTHER_KEYS = { bls12381: 6, 'nist-curves': 7, rsa: 2, secp256k1: 6, x25519: 4 };

for (const [name, count] of Object.entries(OTHER_KEYS)) {
    test(`no DID of ${name}.json passes as an Ed25519 DID`, () => {
        const text = readFileSync(new URL(`did-key/${name}.json`, import.meta.url), 'utf8');
        const dids = new Set(text.match(/did:key:[1-9A-HJ-NP-Za-km-z]+/g));
        assert.ok(dids.size >= count, `${dids.size} DIDs`);
        for (const did of dids) assert.equal(decodeDidKey(did), undefined, did);
    });
}
