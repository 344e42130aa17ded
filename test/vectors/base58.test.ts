import assert from 'node:assert/strict';
import test from 'node:test';
import { base58 } from '@scure/base';
import bitcoin from './base58/base58_encode_decode.json' with { type: 'json' };
import fixtures from './base58/bs58-fixtures.json' with { type: 'json' };

const rows = [...bitcoin.map(([hex = '', string = '']) => ({ hex, string })), ...fixtures.valid];

test(`the library agrees with ${rows.length} published pairs, both ways`, () => {
    for (const { hex, string } of rows) {
        assert.equal(base58.encode(Buffer.from(hex, 'hex')), string);
        assert.equal(Buffer.from(base58.decode(string)).toString('hex'), hex.toLowerCase());
    }
});

test('the library refuses texts outside of the alphabet', () => {
    for (const { description, string } of fixtures.invalid) {
        assert.throws(() => base58.decode(string), description);
    }
});
