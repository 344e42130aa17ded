import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64Url as ofService } from '../../../platform/base64.ts';
import { decodeBase64Url, decodeUtf8 } from '../../../verify/src/primitives.ts';

const bytesOf = (decoded: Uint8Array | undefined) => decoded && Buffer.from(decoded).toString('hex');

test('base64url is read as the service reads it, also if it is not canonical', () => {
    const letters = fc.constantFrom(...'AQgwZz09-_+/= \n.é\0😀');
    fc.assert(
        fc.property(fc.string({ unit: letters, maxLength: 9 }), (text) => {
            assert.equal(bytesOf(decodeBase64Url(text)), bytesOf(ofService(text)), JSON.stringify(text));
        }),
        { numRuns: 5_000 },
    );
    for (const text of ['', 'A', 'AA', 'AB', 'AAA', 'AAAA', 'AA==', 'AA=', '-_', '+/8', '_-8', 'A A A A']) {
        assert.equal(bytesOf(decodeBase64Url(text)), bytesOf(ofService(text)), text);
    }
});

test('UTF-8 is read as the service reads it, with a byte order mark', () => {
    fc.assert(
        fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
            assert.equal(decodeUtf8(bytes), isUtf8(bytes) ? Buffer.from(bytes).toString() : undefined);
        }),
        { numRuns: 5_000 },
    );
    assert.equal(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), '\ufeffa');
});
