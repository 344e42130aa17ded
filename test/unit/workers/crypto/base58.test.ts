import assert from 'node:assert/strict';
import test from 'node:test';
import bs58 from 'bs58';
import fc from 'fast-check';
import { BYTES, DIGITS, decodeBase58, encodeBase58 } from '../../../../workers/crypto/base58.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Below it, the first byte leaves fewer than 47 digits, or may. */
const LEAST_FIRST_BYTE = 45;

const number = fc
    .tuple(
        fc.integer({ min: LEAST_FIRST_BYTE, max: 255 }),
        fc.uint8Array({ minLength: BYTES - 1, maxLength: BYTES - 1 }),
    )
    .map(([first, rest]) => Uint8Array.of(first, ...rest));

test('34 bytes are written and read as bs58 writes and reads them', () => {
    const zeros = Uint8Array.of(LEAST_FIRST_BYTE, ...new Uint8Array(BYTES - 1));
    const ones = new Uint8Array(BYTES).fill(255);
    fc.assert(
        fc.property(fc.oneof(fc.constantFrom(zeros, ones), number), (bytes) => {
            const text = encodeBase58(bytes);
            assert.equal(text, bs58.encode(bytes));
            assert.deepEqual(decodeBase58(text, 0), bytes);
            assert.deepEqual(decodeBase58(`did:key:z${text}#`, 9), bytes);
        }),
        { numRuns: 5_000 },
    );
});

test('47 digits are read where they are a number of 34 bytes, and only there', () => {
    const digits = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: DIGITS, maxLength: DIGITS });
    const edges = [encodeBase58(new Uint8Array(BYTES).fill(255)), 'z'.repeat(DIGITS), '1'.repeat(DIGITS)];
    fc.assert(
        fc.property(fc.oneof(fc.constantFrom(...edges), digits), (text) => {
            const bytes = bs58.decode(text);
            if (text.startsWith('1')) assert.equal(decodeBase58(text, 0), undefined);
            else assert.deepEqual(decodeBase58(text, 0), bytes.length === BYTES ? bytes : undefined);
        }),
        { numRuns: 5_000 },
    );
});

test('what is no digit is refused wherever it stands', () => {
    const unknownCaller = fc.constantFrom('0', 'O', 'I', 'l', ' ', '-', '\0', '\x7f', 'é', '\u0131', '\u{1f600}');
    fc.assert(
        fc.property(number, fc.nat(DIGITS - 1), unknownCaller, (bytes, at, character) => {
            const text = encodeBase58(bytes);
            assert.equal(decodeBase58(text.slice(0, at) + character + text.slice(at + character.length), 0), undefined);
        }),
        { numRuns: 2_000 },
    );
    assert.equal(decodeBase58(encodeBase58(new Uint8Array(BYTES).fill(255)).slice(1), 0), undefined);
});
