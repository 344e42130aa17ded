/** All items of an iteration. */
export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
    const all: Item[] = [];
    for await (const item of items) all.push(item);
    return all;
}
