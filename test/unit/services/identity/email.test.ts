import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formsOf, normaliseEmail, requireEmail } from '../../../../services/identity/email.ts';

test('one address has one form: trimmed, lower case, NFKC, the domain in ASCII', () => {
    const forms = {
        ' Ada@Example.ORG\n': 'ada@example.org',
        '\u212aelvin@example.org': 'kelvin@example.org',
        'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ': 'ada@example.org',
        'zoe\u0308@example.org': 'zoë@example.org',
        'İ@example.org': 'i̇@example.org',
        // Unicode has a composed form only in lower case.
        'T\u0308@example.org': '\u1e97@example.org',
        'ΓΙΩΡΓΟΣ.Π@example.org': 'γιωργοσ.π@example.org',
        'γιωργος.π@example.org': 'γιωργοσ.π@example.org',
        'ada@MÜNCHEN.de': 'ada@xn--mnchen-3ya.de',
        'ada@XN--MNCHEN-3YA.de': 'ada@xn--mnchen-3ya.de',
        'ada@münchen。de': 'ada@xn--mnchen-3ya.de',
        // A capital sigma in a domain is σ, and ς another name (Unicode Technical Standard 46).
        'ada@ΜΎΚΟΝΟΣ.gr': 'ada@xn--vxadehby9d.gr',
        'ada@μύκονος.gr': 'ada@xn--vxadehbs6e.gr',
        'ada@xn--vxadehbs6e.gr': 'ada@xn--vxadehbs6e.gr',
        'ada@μύκονοσ.gr': 'ada@xn--vxadehby9d.gr',
        'ada@faß.de': 'ada@xn--fa-hia.de',
    };
    for (const [sent, stored] of Object.entries(forms)) assert.equal(requireEmail(sent), stored);
});

test('an address that is normalised twice is the same as one that is normalised once', () => {
    fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
            const once = normaliseEmail(text);
            assert.equal(normaliseEmail(once), once.trim());
        }),
        { numRuns: 500 },
    );
});

test('an address with an international domain that is normalised twice is the same as one that is normalised once', () => {
    const unit = fc.constantFrom(...'aAüÜσςΣß.-_1０。é\u0301xn%/日\u30fbא');
    fc.assert(
        fc.property(fc.string({ unit, minLength: 1, maxLength: 12 }), fc.constantFrom('', 'xn--'), (text, prefix) => {
            const once = normaliseEmail(`a@${prefix}${text}.gr`);
            assert.equal(normaliseEmail(once), once);
            assert.ok(formsOf(once).includes(once));
        }),
        { numRuns: 2_000 },
    );
});

test('the forms of an address are those in which earlier releases stored it, first the one that is as sent', () => {
    assert.deepEqual(formsOf(' Ada@Example.org'), ['ada@example.org']);
    assert.deepEqual(formsOf('ada@XN--mnchen-3ya.de'), ['ada@xn--mnchen-3ya.de', 'ada@münchen.de']);
    assert.deepEqual(formsOf('Ada@München.de'), ['ada@münchen.de', 'ada@xn--mnchen-3ya.de']);
    assert.deepEqual(formsOf('ΓΙΩΡΓΟΣ.ΠΑΠΑΣ@example.org'), [
        'γιωργοσ.παπας@example.org',
        'γιωργοσ.παπασ@example.org',
        'γιωργος.παπας@example.org',
    ]);
    assert.deepEqual(formsOf('ada@xn--vxadehbs6e.gr'), ['ada@xn--vxadehbs6e.gr', 'ada@μύκονος.gr']);
    for (const form of ['first..last@example.org', '<a@example.com', 'a@127.1'])
        assert.deepEqual(formsOf(form), [form]);
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
        'first..last@example.org',
        '.ada@example.org',
        'ada.@example.org',
        'ada\u2025x@example.org',
        '<ada@example.org',
        'ada@example.org>',
        ...Array.from('"(),:;<>[\\]', (special) => `a${special}da@example.org`),
        ...Array.from('"(),:;<>[\\]%/?#+!', (special) => `ada@a${special}b.org`),
        'ada@%61.org',
        'ada@xn--a.de',
        'ada@xn--.de',
        'ada@127.1',
        'ada@127.0.0.1',
        'ada@0x7f.1',
        'ada@999.999.999.999',
        'ada@[127.0.0.1]',
        'ada@a\u00adb.org',
        `ada@${'ü'.repeat(250)}.org`,
        `${'x'.repeat(100_000)}@example.org`,
    ];
    for (const email of bad) assert.throws(() => requireEmail(email), { kind: 'invalid' }, JSON.stringify(email));
});
