import assert from 'node:assert/strict';
import test from 'node:test';
import bs58 from 'bs58';
import bitcoin from './base58/base58_encode_decode.json' with { type: 'json' };
import fixtures from './base58/bs58-fixtures.json' with { type: 'json' };

const rows = [...bitcoin.map(([hex = '', string = '']) => ({ hex, string })), ...fixtures.valid];

test(`base58 agrees with ${rows.length} published pairs, both ways`, () => {
    for (const { hex, string } of rows) {
        assert.equal(bs58.encode(Buffer.from(hex, 'hex')), string);
        assert.equal(Buffer.from(bs58.decodeUnsafe(string) ?? []).toString('hex'), hex.toLowerCase());
    }
});

test('texts outside the base58 alphabet are refused', () => {
    for (const { description, string } of fixtures.invalid) {
        assert.equal(bs58.decodeUnsafe(string), undefined, description);
    }
});
