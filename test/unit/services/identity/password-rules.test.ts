import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireComparablePassword, requireNewPassword } from '../../../../services/identity/password-rules.ts';

test('a new password has 8 to 1,024 characters, whatever they are', () => {
    for (const good of ['        ', '🗝'.repeat(8), '🗝'.repeat(1_024), 'x'.repeat(1_024), 'пароль12']) {
        requireNewPassword(good);
    }
    for (const bad of ['', 'x'.repeat(7), '🗝'.repeat(7), 'x'.repeat(1_025), '🗝'.repeat(1_025), 'x'.repeat(1_048_576)]) {
        assert.throws(() => requireNewPassword(bad), { kind: 'invalid' });
    }
});

test('NUL is no part of a password, because no JSON request could bring it', () => {
    assert.throws(() => requireNewPassword('12345678\0'), { kind: 'invalid' });
    assert.throws(() => requireComparablePassword('\0'), { kind: 'invalid' });
});

test('half a character is no part of a password, because it would be hashed like any other half', () => {
    assert.throws(() => requireNewPassword('12345678\ud800'), { kind: 'invalid' });
    assert.throws(() => requireComparablePassword('\udc00'), { kind: 'invalid' });
});

test('a short password may be compared, and one that is too long may not', () => {
    requireComparablePassword('');
    requireComparablePassword('short');
    assert.throws(() => requireComparablePassword('x'.repeat(1_025)), { kind: 'invalid' });
});
