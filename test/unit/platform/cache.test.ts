import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCache } from '../../../platform/cache.ts';

test('what was used last is kept, what was not is forgotten', () => {
    const cache = createCache<string, number>(4);
    cache.set('used', 0);
    for (let entry = 1; entry < 100; entry++) {
        cache.set(`entry ${entry}`, entry);
        assert.equal(cache.get('used'), 0);
    }
    assert.equal(cache.get('entry 99'), 99);
    assert.equal(cache.get('entry 90'), undefined);
});

test('there are never more entries than it may hold', () => {
    const cache = createCache<number, number>(10);
    for (let entry = 0; entry < 1_000; entry++) cache.set(entry, entry);
    const kept = Array.from({ length: 1_000 }, (_, entry) => entry).filter((entry) => cache.get(entry) !== undefined);
    assert.ok(kept.length >= 5 && kept.length <= 10, `${kept.length} are kept`);
});

test('the value is the last one that was set, and none once it is deleted', () => {
    const cache = createCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2); // a grows old
    cache.set('a', 3);
    assert.equal(cache.get('a'), 3);
    cache.set('b', 4);
    cache.delete('a');
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.get('b'), 4);
});
