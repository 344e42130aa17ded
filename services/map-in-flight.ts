/** Maps in order of the items, with at most `limit` of them under way. */
export async function mapInFlight<Item, Result>(
    items: readonly Item[],
    limit: number,
    map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
    const results: Result[] = [];
    const entries = items.entries(); // one iterator: each lane takes the next item
    const lane = async () => {
        for (const [index, item] of entries) results[index] = await map(item);
    };
    await Promise.all(Array.from({ length: limit }, lane));
    return results;
}
