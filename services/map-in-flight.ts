import { type CallContext, throwIfCancelled } from '../platform/context.ts';

/**
 * Maps items in order, with at most `limit` of them in progress. Throws AppError `cancelled` if the client disconnects
 * meanwhile.
 */
export async function mapInFlight<Item, Result>(
    items: readonly Item[],
    limit: number,
    map: (item: Item, index: number) => Promise<Result>,
    context: CallContext,
): Promise<Result[]> {
    const results: Result[] = [];
    const entries = items.entries(); // shared, so that each loop takes the next item
    const lane = async () => {
        for (const [index, item] of entries) {
            throwIfCancelled(context);
            results[index] = await map(item, index);
        }
    };
    await Promise.all(Array.from({ length: limit }, lane));
    return results;
}
