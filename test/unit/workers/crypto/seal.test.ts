import assert from 'node:assert/strict';
import { randomBytes, webcrypto } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { newId } from '../../../../platform/ids.ts';
import { type Binding, newKey, seal, tagOf, unseal } from '../../../../workers/crypto/seal.ts';

const key = newKey();
const binding: Binding = { wallet: newId(), record: 'private_key' };

test('unsealing a record returns the bytes that were sealed', () => {
    fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (plain) => {
            assert.deepEqual(unseal(seal(plain, key, binding), key, binding), Buffer.from(plain));
        }),
    );
    const large = randomBytes(1 << 20);
    assert.deepEqual(unseal(seal(large, key, binding), key, binding), large);
});

test('a record is AES-256-GCM with a tag of 16 bytes, bound to wallet, record and version', async () => {
    const plain = Buffer.from('a secret');
    const sealed = seal(plain, key, binding);
    const imported = await webcrypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['decrypt']);
    const opened = await webcrypto.subtle.decrypt(
        {
            name: 'AES-GCM',
            iv: new Uint8Array(sealed.subarray(1, 13)),
            additionalData: new TextEncoder().encode(`1\n${binding.wallet}\nprivate_key`),
            tagLength: 128,
        },
        imported,
        new Uint8Array(sealed.subarray(13)),
    );
    assert.deepEqual(Buffer.from(opened), plain);
    assert.equal(sealed.length, 1 + 12 + plain.length + 16);
});

test('a record opens under no other key and with no other binding', () => {
    const sealed = seal(Buffer.from('a secret'), key, binding);
    assert.equal(unseal(sealed, newKey(), binding), undefined);
    assert.equal(unseal(sealed, key, { ...binding, wallet: newId() }), undefined);
    assert.equal(unseal(sealed, key, { ...binding, record: 'profile' }), undefined);
    assert.ok(unseal(sealed, key, binding));
});

test('a record with a changed bit or without its last bytes does not open', () => {
    const sealed = seal(Buffer.from('a secret'), key, binding);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
        const changed = Buffer.from(sealed);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        assert.equal(unseal(changed, key, binding), undefined, `bit ${bit}`);
    }
    for (let length = 0; length < sealed.length; length++) {
        assert.equal(unseal(sealed.subarray(0, length), key, binding), undefined, `${length} bytes`);
    }
});

test('no two records have the same nonce', () => {
    const nonces = Array.from({ length: 10_000 }, () => seal(Buffer.of(), key, binding).toString('hex', 1, 13));
    assert.equal(new Set(nonces).size, nonces.length);
});

test('a tag identifies a text under one key, and is different under another key', () => {
    assert.deepEqual(tagOf('did:key:z6MkA', key), tagOf('did:key:z6MkA', key));
    assert.notDeepEqual(tagOf('did:key:z6MkA', key), tagOf('did:key:z6MkB', key));
    assert.notDeepEqual(tagOf('did:key:z6MkA', key), tagOf('did:key:z6MkA', newKey()));
});
