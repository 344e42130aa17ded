import QuickLRU from 'quick-lru';

type Cache<Key, Value> = Pick<QuickLRU<Key, Value>, 'get' | 'has' | 'set' | 'delete'>;

/**
 * A map with at most `maxEntries` entries. It always keeps the `maxEntries / 2` most recently used ones, and calls
 * `onDropped` with the key of each other one.
 */
export function createCache<Key, Value>(maxEntries: number, onDropped?: (key: Key) => void): Cache<Key, Value> {
    // It holds two generations of this size.
    return new QuickLRU({ maxSize: maxEntries / 2, ...(onDropped && { onEviction: onDropped }) });
}

/**
 * A map whose values together have at most `maxBytes`. Beyond it, the least recently used ones are dropped. `bytesOf`
 * returns the size of a value, which must not change.
 */
export function createCacheOfBytes<Key, Value>(
    maxBytes: number,
    bytesOf: (value: Value) => number,
): Pick<Cache<Key, Value>, 'get'> & { set(key: Key, value: Value): void } {
    const values = new Map<Key, Value>(); // the least recently used one comes first
    let bytes = 0;

    function remove(key: Key): void {
        const value = values.get(key);
        if (value !== undefined) bytes -= bytesOf(value);
        values.delete(key);
    }

    return {
        get(key) {
            const value = values.get(key);
            if (value === undefined) return undefined;
            values.delete(key);
            values.set(key, value); // behind all others
            return value;
        },
        set(key, value) {
            remove(key);
            values.set(key, value);
            bytes += bytesOf(value);
            for (const oldest of values.keys()) {
                if (bytes <= maxBytes) break;
                remove(oldest);
            }
        },
    };
}
