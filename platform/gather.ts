import { AppError } from './errors.ts';
import { queueStats } from './queue-stats.ts';

export interface GatherOptions<Item> {
    /** Names the queue in the metrics and in the overload error's reason. */
    name: string;
    /** Maximum number of items in a batch. */
    maxBatch: number;
    /**
     * A batch of this many items leaves at once. Fewer items leave at the end of the turn. Default: `maxBatch`. Choose
     * the smallest number that makes the cost of a batch small beside the cost of its items: then the batch is worked on
     * while the event loop prepares the next one.
     */
    eagerBatch?: number;
    /** The weight of an item, and the maximum weight of a batch. A single item may weigh more. */
    weight?: { of(item: Item): number; max: number };
    /** Maximum number of batches in flight. */
    maxInFlight: number;
    /** Maximum number of waiting items. Further ones are refused with `unavailable`. */
    maxWaiting: number;
    /** Runs one batch. Never rejects. */
    run(items: Item[]): Promise<void>;
}

export interface Gatherer<Item> {
    /** Throws `unavailable` if too many items wait. */
    add(item: Item): void;
    /** Items that wait for a batch. */
    waiting(): number;
    /** Drops the waiting items for which this returns false. */
    retain(isWanted: (item: Item) => boolean): void;
}

/**
 * Gathers single items into batches without a timer. A batch leaves as soon as `eagerBatch` items wait, at the latest
 * at the end of the turn of the event loop. Items that arrive while `maxInFlight` batches are in flight leave with the
 * next batch. So batches grow with load, and without load an item does not wait.
 */
export function gather<Item>(options: GatherOptions<Item>): Gatherer<Item> {
    let queue: Item[] = [];
    const stats = queueStats(options.name);
    let inFlight = 0;
    let turnWillEnd = false;
    const eagerBatch = options.eagerBatch ?? options.maxBatch;

    function send(): void {
        while (queue.length > 0 && inFlight < options.maxInFlight) {
            inFlight++;
            const batch = queue.splice(0, nextBatch(queue, options));
            stats.batches++;
            stats.waiting -= batch.length;
            void options.run(batch).then(onBatchDone);
        }
    }
    function onBatchDone(): void {
        inFlight--;
        send();
    }
    function endTurn(): void {
        turnWillEnd = false;
        send();
    }

    return {
        add(item) {
            if (queue.length >= options.maxWaiting) throw overloaded(options.name);
            queue.push(item);
            stats.items++;
            stats.waiting++;
            if (inFlight >= options.maxInFlight) return;
            if (queue.length >= eagerBatch) {
                send();
            } else if (!turnWillEnd) {
                turnWillEnd = true;
                setImmediate(endTurn);
            }
        },
        waiting: () => queue.length,
        retain(isWanted) {
            const wanted = queue.filter(isWanted);
            stats.waiting -= queue.length - wanted.length;
            queue = wanted;
        },
    };
}

/** Returns the number of waiting items that fit into the next batch. */
function nextBatch<Item>(queue: Item[], { maxBatch, weight }: GatherOptions<Item>): number {
    const count = Math.min(queue.length, maxBatch);
    return weight ? countWithin(queue, weight, count) : count;
}

/** The number of items, at most `most` from the first one on, that weigh at most `max` together. The first may weigh more. */
export function countWithin<Item>(
    items: readonly Item[],
    { of, max }: { of(item: Item): number; max: number },
    most = items.length,
): number {
    let sum = 0;
    for (let index = 0; index < most; index++) {
        sum += of(items[index] as Item); // index is below the length
        if (sum > max) return Math.max(index, 1);
    }
    return most;
}

/** Counts a refused item of the queue, and returns the error for its caller. */
export function overloaded(queue: string): AppError {
    queueStats(queue).refused++;
    return new AppError('unavailable', 'The service is at capacity. Try again shortly.', {
        retry_after: 1,
        reason: `queue ${queue}`,
    });
}
