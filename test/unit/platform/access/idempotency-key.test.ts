import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fieldPattern, readIdempotencyKey } from '../../../../platform/access/idempotency-key.ts';
import { AppError } from '../../../../platform/errors.ts';

const GOOD: ReadonlyArray<[value: string, key: string]> = [
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['a"b\\c', 'a"b\\c'],
    ['"\\"abc\\""', '"abc"'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
    ['a,b', 'a,b'],
    ['!', '!'],
    ['~', '~'],
];

const BAD = {
    'an empty value': '',
    'an empty String': '""',
    'a value of 256 characters': 'x'.repeat(256),
    'a String of 256 characters': `"${'x'.repeat(256)}"`,
    'a blank': 'a b',
    'a blank in a String': '"a b"',
    'a tab': 'a\tb',
    NUL: 'a\0',
    DEL: 'a\x7f',
    'a letter that is not ASCII': 'caf\u00e9',
    'a letter that is not ASCII in a String': '"caf\u00e9"',
    'an unclosed quote': '"abc',
    'a quote alone': '"',
    'a quote inside of a String': '"a"b"',
    'text after a String': '"abc"d',
    'parameters after a String': '"abc";a=1',
    'an unknown escape': '"a\\b"',
    'an escaped closing quote': '"abc\\"',
    'two fields': 'abc, abc',
    'two fields with a String each': '"abc", "abc"',
    'two fields that together look like a String': '"abc, abc"',
};

describe('an Idempotency-Key', () => {
    for (const [value, key] of GOOD) {
        it(`is read from ${value.slice(0, 40)}`, () => assert.equal(readIdempotencyKey(value), key));
    }

    for (const [name, value] of Object.entries(BAD)) {
        it(`is not ${name}`, () => {
            assert.throws(
                () => readIdempotencyKey(value),
                (error) => error instanceof AppError && error.kind === 'invalid' && !error.detail.includes('abc'),
            );
        });
    }

    it('is the same key with quotes and without', () => {
        const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
        const keys = fc.array(visible, { minLength: 1, maxLength: 255 }).map((letters) => letters.join(''));
        fc.assert(
            fc.property(keys, (key) => {
                assert.equal(readIdempotencyKey(`"${key.replaceAll(/["\\]/g, '\\$&')}"`), key);
                if (!key.startsWith('"')) assert.equal(readIdempotencyKey(key), key);
            }),
        );
    });
});

it('the pattern in the OpenAPI document accepts exactly the keys that are long enough', () => {
    const texts = [
        '',
        'a',
        '"',
        'x'.repeat(15),
        'x'.repeat(16),
        'x'.repeat(255),
        'x'.repeat(256),
        'a b',
        'é'.repeat(16),
    ];
    const escaped = ['\\\\'.repeat(15), '\\\\'.repeat(16), '\\"'.repeat(255), '\\"'.repeat(256), '\\'.repeat(15)];
    for (const min of [1, 16]) {
        const pattern = new RegExp(fieldPattern(min), 'u');
        for (const value of [...texts, ...escaped].flatMap((text) => [text, `"${text}"`, `"${text}`])) {
            assert.equal(pattern.test(value), (lengthOf(value) ?? 0) >= min, value);
        }
    }
});

function lengthOf(value: string): number | undefined {
    try {
        return readIdempotencyKey(value).length;
    } catch {
        return undefined;
    }
}
