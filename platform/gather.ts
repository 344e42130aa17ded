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
    /** Limits the batches in flight of several gatherers together. */
    flightLimit?: FlightLimit;
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
    const { flightLimit: limit, eagerBatch = options.maxBatch } = options;

    function send(): void {
        while (queue.length > 0 && inFlight < options.maxInFlight) {
            if (limit && !limit.takeOff(send)) return;
            inFlight++;
            const batch = queue.splice(0, nextBatch(queue, options));
            stats.batches++;
            stats.waiting -= batch.length;
            void options.run(batch).then(onBatchDone);
        }
    }
    function onBatchDone(): void {
        inFlight--;
        limit?.land();
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

/** Limits how many batches of several gatherers are in flight together. */
export interface FlightLimit {
    /** True if a batch may leave; `land` must follow when it is done. Otherwise `retry` is called when one may. */
    takeOff(retry: () => void): boolean;
    /** Frees the place of a batch. */
    land(): void;
}

/**
 * Lets at most `max` batches of several gatherers be in flight together. Gatherers that wait for each other send fewer
 * and larger batches. They get free places in the order in which they ask. A place becomes free at the end of the turn
 * of the event loop, so that the calls which a batch has answered may add their next items before.
 */
export function flightLimit(max: number): FlightLimit {
    const waiting = new Set<() => void>();
    let inFlight = 0;
    function free(): void {
        inFlight--;
        for (const retry of waiting) {
            if (inFlight >= max) return;
            waiting.delete(retry);
            retry();
        }
    }
    return {
        takeOff(retry) {
            const isFree = inFlight < max;
            if (isFree) inFlight++;
            else waiting.add(retry);
            return isFree;
        },
        land() {
            setImmediate(free);
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
