/** A map that forgets its least recently used entry when it is full. */
export interface Cache<Key, Value> {
    get(key: Key): Value | undefined;
    set(key: Key, value: Value): void;
    delete(key: Key): void;
}

export function createCache<Key, Value>(max_entries: number): Cache<Key, Value> {
    const entries = new Map<Key, Value>(); // iterates in the order of insertion: the first is the longest unused
    return {
        get(key) {
            const value = entries.get(key);
            if (value === undefined) return undefined;
            entries.delete(key);
            entries.set(key, value);
            return value;
        },
        set(key, value) {
            entries.delete(key);
            if (entries.size >= max_entries) {
                for (const oldest of entries.keys()) {
                    entries.delete(oldest);
                    break;
                }
            }
            entries.set(key, value);
        },
        delete(key) {
            entries.delete(key);
        },
    };
}
