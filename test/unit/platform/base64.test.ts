import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '../../../platform/base64.ts';

const bytes = fc.uint8Array({ maxLength: 70 });

test('bytes decode unchanged from every spelling that requests may use', () => {
    fc.assert(
        fc.property(bytes, (value) => {
            const standard = encodeBase64(value);
            const url = standard.replaceAll('+', '-').replaceAll('/', '_');
            for (const text of [standard, standard.replaceAll('=', ''), url, url.replaceAll('=', '')]) {
                assert.deepEqual(decodeBase64(text), value, text);
            }
        }),
    );
});

test('bytes decode unchanged from the spelling that tokens use', () => {
    fc.assert(
        fc.property(bytes, (value) => {
            const text = encodeBase64Url(value);
            assert.match(text, /^[\w-]*$/);
            assert.deepEqual(new Uint8Array(decodeBase64Url(text) ?? []), value);
        }),
    );
});

test('blanks, unknown characters, mixed alphabets, wrong padding and leftover bits are refused', () => {
    const bad = [
        ' AAAA',
        'AAAA ',
        'AA\nAA',
        'AA!A',
        'A',
        'AAAAA',
        'AA=',
        'AAA==',
        'AAAA=',
        'AAAA====',
        '=',
        'AA==AA==',
        'A===',
        '+_AA',
        '-/AA',
    ];
    for (const text of [...bad, 'AB', 'AAB', 'AB==', 'AAB=', 'AA\u0000A', 'AAÀA']) {
        assert.equal(decodeBase64(text), undefined, text);
        assert.equal(decodeBase64Url(text), undefined, text);
    }
    for (const text of ['AA==', 'AAA=', '+/AA']) assert.equal(decodeBase64Url(text), undefined, text);
});

test('no two texts of a token decode to the same bytes', () => {
    fc.assert(
        fc.property(fc.string({ unit: fc.constantFrom(...'AQgw+/-_=Z 9'), maxLength: 12 }), (text) => {
            const value = decodeBase64Url(text);
            if (value !== undefined) assert.equal(encodeBase64Url(value), text);
        }),
        { numRuns: 5000 },
    );
});

test('decoded bytes have their own memory', () => {
    assert.equal(decodeBase64('AAAA')?.buffer.byteLength, 3);
});
