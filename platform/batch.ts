import { AppError } from './errors.ts';

export interface CoalesceOptions<Item, Result> {
    /** Names the queue in the overload error's cause and in metrics. */
    name: string;
    /** Runs one batch. Resolves to one result per item, in order; an `Error` among them fails that item alone. */
    run(items: Item[]): Promise<Array<Result | Error>>;
    /** Items per batch. */
    max_batch: number;
    /** How much an item weighs, and what the items of a batch may weigh together; one alone may weigh more. */
    weight?: { of(item: Item): number; max: number };
    /** Batches in flight at once. */
    max_in_flight: number;
    /** Items that may wait; the next one is refused with `unavailable`. */
    max_waiting: number;
    /** Whether a batch that failed as a whole is halved until the items at fault are alone. Needs an idempotent `run`. */
    halve_on?(error: unknown): boolean;
}

export interface Coalescer<Item, Result> {
    (item: Item): Promise<Result>;
    /** Items that wait for a batch. */
    waiting(): number;
}

interface Entry<Item, Result> {
    item: Item;
    resolve(result: Result): void;
    reject(error: unknown): void;
}

/**
 * Gathers single calls into batches without a timer: what one turn of the event loop brings goes together at its end, and what
 * arrives while all batches are in flight goes with the next one. So batches grow with load, and an idle path waits for
 * nothing. The results of a batch come back in one turn too: what was gathered once stays together on its further way.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): Coalescer<Item, Result> {
    const queue: Array<Entry<Item, Result>> = [];
    let in_flight = 0;
    let turn_will_end = false;

    async function settle(entries: Array<Entry<Item, Result>>): Promise<void> {
        let results: Array<Result | Error>;
        try {
            results = await options.run(entries.map((entry) => entry.item));
        } catch (error) {
            if (entries.length > 1 && options.halve_on?.(error)) {
                const middle = entries.length >> 1;
                await settle(entries.slice(0, middle));
                await settle(entries.slice(middle));
            } else {
                for (const entry of entries) entry.reject(error);
            }
            return;
        }
        entries.forEach((entry, index) => {
            const result = results[index] as Result | Error; // run() answers every item
            if (result instanceof Error) entry.reject(result);
            else entry.resolve(result);
        });
    }

    /** How many of the waiting items go with the next batch. */
    function nextBatch(): number {
        const count = Math.min(queue.length, options.max_batch);
        if (!options.weight) return count;
        const { of, max } = options.weight;
        let weight = 0;
        for (let index = 0; index < count; index++) {
            weight += of((queue[index] as Entry<Item, Result>).item); // index is below the length
            if (weight > max) return Math.max(index, 1);
        }
        return count;
    }

    function send(): void {
        const entries = queue.splice(0, nextBatch());
        in_flight++;
        void settle(entries).finally(() => {
            in_flight--;
            if (queue.length > 0 && in_flight < options.max_in_flight) send();
        });
    }

    function sendGathered(): void {
        turn_will_end = false;
        while (queue.length > 0 && in_flight < options.max_in_flight) send();
    }

    const call = (item: Item): Promise<Result> =>
        new Promise((resolve, reject) => {
            if (queue.length >= options.max_waiting) {
                reject(
                    new AppError('unavailable', 'The service is at capacity. Try again shortly.', {
                        retry_after: 1,
                        cause: new Error(`queue ${options.name} is full`),
                    }),
                );
                return;
            }
            queue.push({ item, resolve, reject });
            if (turn_will_end || in_flight >= options.max_in_flight) return;
            turn_will_end = true;
            setImmediate(sendGathered);
        });
    return Object.assign(call, { waiting: () => queue.length });
}
