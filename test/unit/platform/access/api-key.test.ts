import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type ApiKeyFormat, makeApiKey, maskApiKey, parseApiKey } from '../../../../platform/access/api-key.ts';

const format: ApiKeyFormat = { brand: 'cred', environment: 'test' };

test('a key has its prefix and 32 base62 characters, and is looked up by the SHA-256 of its text', () => {
    for (const environment of ['live', 'test'] as const) {
        const { api_key, hash } = makeApiKey({ brand: 'cred', environment });
        assert.match(api_key, new RegExp(`^cred_${environment}_[0-9A-Za-z]{32}$`));
        assert.deepEqual(hash, createHash('sha256').update(api_key).digest());
        assert.deepEqual(parseApiKey(api_key, { brand: 'cred', environment }), { hash });
    }
});

test('the last six characters of a key are the CRC-32 of all characters before them', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (let index = 0; index < 1_000; index++) {
        const { api_key } = makeApiKey(format);
        const value = [...api_key.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
        assert.equal(value, crc32(api_key.slice(0, -6)));
    }
});

test('a key with one changed character is no key', () => {
    const { api_key } = makeApiKey(format);
    for (let at = 0; at < api_key.length; at++) {
        const other = api_key[at] === 'a' ? 'b' : 'a';
        assert.equal(parseApiKey(api_key.slice(0, at) + other + api_key.slice(at + 1), format), undefined);
    }
});

test('a key with swapped case, blanks, missing or extra characters, another brand or another environment is no key', () => {
    const { api_key } = makeApiKey(format);
    const body = api_key.slice(-32);
    const swapped = [...body].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
    for (const text of [
        `cred_test_${swapped}`,
        `${api_key} `,
        `${api_key}\n`,
        api_key.slice(0, -1),
        `${api_key}0`,
        'cred_test_',
        '',
        `cred_test_${'x'.repeat(10_000)}`,
        `cred_test_${'ü'.repeat(32)}`,
    ]) {
        assert.equal(parseApiKey(text, format), undefined, text);
    }
    assert.equal(parseApiKey(api_key, { brand: 'cred', environment: 'live' }), undefined);
    assert.equal(parseApiKey(api_key, { brand: 'other', environment: 'test' }), undefined);
});

test('the mask shows four characters of the body at each end', () => {
    const { api_key, mask } = makeApiKey(format);
    assert.equal(mask, `cred_test_${api_key.slice(10, 14)}...${api_key.slice(-4)}`);
    assert.equal(maskApiKey(api_key), mask);
});

test('every character of the alphabet is as likely as any other', () => {
    const counts = new Map<string, number>();
    const keys = 4_000;
    for (let index = 0; index < keys; index++) {
        for (const character of makeApiKey(format).api_key.slice(10, 36)) {
            counts.set(character, (counts.get(character) ?? 0) + 1);
        }
    }
    const expected = (keys * 26) / 62;
    assert.equal(counts.size, 62);
    // Chi-square with 61 degrees of freedom: chance exceeds 130 once in a million runs. A byte modulo 62 gives 900.
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    assert.ok(chiSquare < 130, `chi-square ${chiSquare}`);
});
