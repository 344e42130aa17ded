import assert from 'node:assert/strict';
import test from 'node:test';
import bs58 from 'bs58';
import bitcoin from './base58/base58_encode_decode.json' with { type: 'json' };
import fixtures from './base58/bs58-fixtures.json' with { type: 'json' };

const rows = [...bitcoin.map(([hex = '', string = '']) => ({ hex, string })), ...fixtures.valid];

// bs58 is what the service's own base58 is compared with (test/unit/workers/crypto/base58.test.ts).

test(`bs58 agrees with ${rows.length} published pairs, both ways`, () => {
    for (const { hex, string } of rows) {
        assert.equal(bs58.encode(Buffer.from(hex, 'hex')), string);
        assert.equal(Buffer.from(bs58.decodeUnsafe(string) ?? []).toString('hex'), hex.toLowerCase());
    }
});

test('bs58 refuses texts outside of the alphabet', () => {
    for (const { description, string } of fixtures.invalid) {
        assert.equal(bs58.decodeUnsafe(string), undefined, description);
    }
});
