/** A map that keeps at least the most recently used half of `max_entries`, and never holds more than all of them. */
export interface Cache<Key, Value> {
    get(key: Key): Value | undefined;
    set(key: Key, value: Value): void;
    delete(key: Key): void;
}

/**
 * It has two generations. When the young one is full it becomes the old one, and entries that are not used before that
 * happens again are forgotten. A Map that deletes its oldest entry for each new one would have to step over all deleted
 * entries.
 */
export function createCache<Key, Value>(max_entries: number): Cache<Key, Value> {
    const generation_entries = max_entries / 2;
    let young = new Map<Key, Value>();
    let old = new Map<Key, Value>();

    function set(key: Key, value: Value): void {
        if (young.size >= generation_entries && !young.has(key)) {
            old = young;
            young = new Map();
        }
        young.set(key, value);
    }

    return {
        get(key) {
            const value = young.get(key);
            if (value !== undefined) return value;
            const older = old.get(key);
            if (older !== undefined) set(key, older);
            return older;
        },
        set,
        delete(key) {
            young.delete(key);
            old.delete(key);
        },
    };
}
