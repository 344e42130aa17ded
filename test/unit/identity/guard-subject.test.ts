import assert from 'node:assert/strict';
import { createHmac, hash, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { guardSubjectOfAddress } from '../../../services/identity/guard-subject.ts';

const EMAIL = 'ada@example.org';

test('the subject of an address that no account has is the same in all processes and needs the pepper', () => {
    const subject = guardSubjectOfAddress(EMAIL, 'pepper');
    assert.equal(guardSubjectOfAddress(EMAIL, 'pepper'), subject);
    assert.notEqual(guardSubjectOfAddress(EMAIL, 'another'), subject);
    assert.notEqual(guardSubjectOfAddress('eve@example.org', 'pepper'), subject);
    assert.ok(!subject.includes(hash('sha256', EMAIL)));
});

test('the subject of an address is no key from which other secrets are derived with the same pepper', () => {
    const subject = guardSubjectOfAddress(EMAIL, 'pepper');
    assert.ok(!subject.includes(createHmac('sha256', 'pepper').update(EMAIL).digest('hex')));
    const derived = Buffer.from(hkdfSync('sha256', EMAIL, 'pepper', 'subject', 32)).toString('hex');
    assert.ok(!subject.includes(derived));
});
