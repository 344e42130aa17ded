/** An item of an UnorderedList. */
export interface ListItem {
    /** Its index in the list, or -1 if it is not in the list. Only the list changes this. */
    index: number;
}

/**
 * Items that come and go with every call, such as calls in progress. It does the work of a Set, but when V8 replaces the
 * table of a Set, the old table refers to the new one. All requests that were ever in the Set then survive until the
 * next full collection of garbage, which made a call 10 % more expensive.
 */
export class UnorderedList<Item extends ListItem> implements Iterable<Item> {
    readonly #items: Item[] = [];

    get size(): number {
        return this.#items.length;
    }

    add(item: Item): void {
        item.index = this.#items.push(item) - 1;
    }

    /** Removes the item, if it is in the list. The last item gets its index. */
    remove(item: Item): void {
        if (item.index < 0) return;
        const last = this.#items.pop() as Item; // the list has at least this item
        if (last !== item) {
            this.#items[item.index] = last;
            last.index = item.index;
        }
        item.index = -1;
    }

    /** The items at this moment. The list may change during the iteration. */
    [Symbol.iterator](): Iterator<Item> {
        return this.#items.slice().values();
    }
}
