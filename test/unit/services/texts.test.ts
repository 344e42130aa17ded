import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireName } from '../../../services/texts.ts';

test('a name is trimmed, and all other Unicode characters stay unchanged', () => {
    assert.equal(requireName('  Ada\u00a0'), 'Ada');
    for (const name of ['x', '🗝'.repeat(255), 'e\u0301', '\u202eevil', 'a\nb']) assert.equal(requireName(name), name);
});

test('names that are blank, too long or impossible to store are refused', () => {
    for (const name of ['', ' \u2003\n', 'x'.repeat(256), '🗝'.repeat(256), 'a\0b', '\udfff', 'x'.repeat(1_000_000)]) {
        assert.throws(() => requireName(name), { kind: 'invalid' });
    }
});
