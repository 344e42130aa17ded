import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normaliseEmail, requireEmail } from '../../../../services/identity/email.ts';

test('one address has one form: trimmed, lower case, NFKC', () => {
    const forms = {
        ' Ada@Example.ORG\n': 'ada@example.org',
        '\u212aelvin@example.org': 'kelvin@example.org',
        'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ': 'ada@example.org',
        'zoe\u0308@example.org': 'zoë@example.org',
        'İ@example.org': 'i̇@example.org',
        // Unicode has a composed form only in lower case.
        'T\u0308@example.org': '\u1e97@example.org',
    };
    for (const [sent, stored] of Object.entries(forms)) assert.equal(requireEmail(sent), stored);
});

test('an address that is normalised twice is the same as one that is normalised once', () => {
    fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
            const once = normaliseEmail(text);
            assert.equal(normaliseEmail(once), once.trim());
        }),
        { numRuns: 2_000 },
    );
});

test('addresses at the limits are accepted', () => {
    const domain = `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.org`;
    const local = 'l'.repeat(64);
    assert.equal(`${local}@${domain}`.length, 251);
    for (const email of [`${local}@${domain}`, `${local}@ggg${domain}`, 'a@b.c', "o'hara+tag=x!@x-y.example"]) {
        assert.equal(requireEmail(email), email);
    }
    assert.throws(() => requireEmail(`${local}@gggg${domain}`));
    assert.throws(() => requireEmail(`${local}l@example.org`));
});

test('a text that is no address is refused', () => {
    const bad = [
        '',
        ' ',
        'ada',
        '@example.org',
        'ada@',
        'ada@@example.org',
        'ada@x@example.org',
        'ada＠x@example.org',
        'ada@localhost',
        'ada@.org',
        'ada@example.',
        'ada@example..org',
        'ada@-example.org',
        'ada@example-.org',
        'ada@example.-org',
        'ada@example.org-',
        'a da@example.org',
        'ada@exam\tple.org',
        'a\u00a0da@example.org',
        'ada\0@example.org',
        'a@b.c\r\nBcc:x',
        'a\u200bda@example.org',
        'a\u200fda@example.org',
        'a\u00adda@example.org',
        'a\u3164da@example.org',
        'a\u2800da@example.org',
        'a\ufe0fda@example.org',
        'a\ud800da@example.org',
        `${'x'.repeat(100_000)}@example.org`,
    ];
    for (const email of bad) assert.throws(() => requireEmail(email), { kind: 'invalid' }, JSON.stringify(email));
});
