import { type CallContext, throwIfCancelled } from '../platform/context.ts';

/** Maps in order of the items, with at most `limit` of them under way; AppError `cancelled` when the client goes away meanwhile. */
export async function mapInFlight<Item, Result>(
    items: readonly Item[],
    limit: number,
    map: (item: Item) => Promise<Result>,
    context: CallContext,
): Promise<Result[]> {
    const results: Result[] = [];
    const entries = items.entries(); // one iterator: each lane takes the next item
    const lane = async () => {
        for (const [index, item] of entries) {
            throwIfCancelled(context);
            results[index] = await map(item);
        }
    };
    await Promise.all(Array.from({ length: limit }, lane));
    return results;
}
