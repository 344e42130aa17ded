import QuickLRU from 'quick-lru';

export type Cache<Key, Value> = Pick<QuickLRU<Key, Value>, 'get' | 'has' | 'set' | 'delete'>;

/** A map with at most `maxEntries` entries. It always keeps the `maxEntries / 2` most recently used ones. */
export function createCache<Key, Value>(maxEntries: number): Cache<Key, Value> {
    return new QuickLRU({ maxSize: maxEntries / 2 }); // it holds two generations of this size
}
