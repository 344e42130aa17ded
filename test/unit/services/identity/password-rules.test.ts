import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireComparablePassword, requireNewPassword } from '../../../../services/identity/password-rules.ts';

test('a new password may be any 8 to 1,024 characters', () => {
    for (const good of ['        ', '🗝'.repeat(8), '🗝'.repeat(1_024), 'x'.repeat(1_024), 'пароль12']) {
        requireNewPassword(good);
    }
    for (const bad of ['', 'x'.repeat(7), '🗝'.repeat(7), 'x'.repeat(1_025), '🗝'.repeat(1_025), 'x'.repeat(1_048_576)]) {
        assert.throws(() => requireNewPassword(bad), { kind: 'invalid' });
    }
});

test('a password with NUL is refused, because no JSON request can contain it', () => {
    assert.throws(() => requireNewPassword('12345678\0'), { kind: 'invalid' });
    assert.throws(() => requireComparablePassword('\0'), { kind: 'invalid' });
});

test('a password with a lone surrogate is refused, because all lone surrogates have the same hash', () => {
    assert.throws(() => requireNewPassword('12345678\ud800'), { kind: 'invalid' });
    assert.throws(() => requireComparablePassword('\udc00'), { kind: 'invalid' });
});

test('a short password may be compared, but one that is too long may not', () => {
    requireComparablePassword('');
    requireComparablePassword('short');
    assert.throws(() => requireComparablePassword('x'.repeat(1_025)), { kind: 'invalid' });
});
