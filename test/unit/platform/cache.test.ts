import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCache, createCacheOfBytes } from '../../../platform/cache.ts';

test('a cache keeps entries that were used recently and drops others', () => {
    const cache = createCache<string, number>(4);
    cache.set('used', 0);
    for (let entry = 1; entry < 100; entry++) {
        cache.set(`entry ${entry}`, entry);
        assert.equal(cache.get('used'), 0);
    }
    assert.equal(cache.get('entry 99'), 99);
    assert.equal(cache.get('entry 90'), undefined);
});

test('a cache never holds more entries than its bound', () => {
    const cache = createCache<number, number>(10);
    for (let entry = 0; entry < 1_000; entry++) cache.set(entry, entry);
    const kept = Array.from({ length: 1_000 }, (_, entry) => entry).filter((entry) => cache.get(entry) !== undefined);
    assert.ok(kept.length >= 5 && kept.length <= 10, `${kept.length} are kept`);
});

test('a cache returns the last value that was set, and none after it was deleted', () => {
    const cache = createCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2); // a moves to the old half
    cache.set('a', 3);
    assert.equal(cache.get('a'), 3);
    cache.set('b', 4);
    cache.delete('a');
    assert.equal(cache.get('a'), undefined);
    assert.equal(cache.get('b'), 4);
});

test('a cache of bytes drops the least recently used values when all together are too large', () => {
    const cache = createCacheOfBytes<string, string>(10, ({ length }) => length);
    cache.set('a', 'aaaa');
    cache.set('b', 'bbbb');
    cache.set('a', 'aa'); // the room of the first value is free again
    cache.set('c', 'cccc');
    assert.deepEqual([cache.get('b'), cache.get('a'), cache.get('c')], ['bbbb', 'aa', 'cccc']);
    cache.set('d', 'dddddd');
    assert.deepEqual([cache.get('b'), cache.get('a'), cache.get('c')], [undefined, undefined, 'cccc']);
    cache.set('e', 'e'.repeat(11));
    assert.deepEqual([cache.get('c'), cache.get('d'), cache.get('e')], [undefined, undefined, undefined]);
});
