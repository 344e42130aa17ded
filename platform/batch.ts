import { type CallLifetime, isOver, overError } from './context.ts';
import { AppError } from './errors.ts';
import { sweepWhileNeeded } from './process/sweep.ts';
import { queueStats } from './queue-stats.ts';
import { NO_SPAN, type Span } from './telemetry/span.ts';
import { startSpan } from './telemetry/tracing.ts';

interface GatherOptions<Item> {
    /** Names the queue in the metrics and in the overload error's cause. */
    name: string;
    /** Items per batch. */
    max_batch: number;
    /** The weight of an item, and the maximum weight of a batch. A single item may weigh more. */
    weight?: { of(item: Item): number; max: number };
    /** Batches in flight at once. */
    max_in_flight: number;
    /** Items that may wait. Further ones are refused with `unavailable`. */
    max_waiting: number;
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
 * Gathers single items into batches without a timer. Items of one turn of the event loop leave together at its end, and
 * items that arrive while all batches are in flight leave with the next one. So batches grow with load, and an idle
 * path waits for nothing.
 */
export function gather<Item>(options: GatherOptions<Item>): Gatherer<Item> {
    let queue: Item[] = [];
    const stats = queueStats(options.name);
    let in_flight = 0;
    let turn_will_end = false;

    function send(): void {
        while (queue.length > 0 && in_flight < options.max_in_flight) {
            in_flight++;
            const batch = queue.splice(0, nextBatch(queue, options));
            stats.batches++;
            stats.waiting -= batch.length;
            void options.run(batch).then(onBatchDone);
        }
    }
    function onBatchDone(): void {
        in_flight--;
        send();
    }
    function endTurn(): void {
        turn_will_end = false;
        send();
    }

    return {
        add(item) {
            if (queue.length >= options.max_waiting) throw overloaded(options.name);
            queue.push(item);
            stats.items++;
            stats.waiting++;
            if (turn_will_end || in_flight >= options.max_in_flight) return;
            turn_will_end = true;
            setImmediate(endTurn);
        },
        waiting: () => queue.length,
        retain(isWanted) {
            const wanted = queue.filter(isWanted);
            stats.waiting -= queue.length - wanted.length;
            queue = wanted;
        },
    };
}

/** The number of waiting items that fit into the next batch. */
function nextBatch<Item>(queue: Item[], { max_batch, weight }: GatherOptions<Item>): number {
    const count = Math.min(queue.length, max_batch);
    if (!weight) return count;
    let sum = 0;
    for (let index = 0; index < count; index++) {
        sum += weight.of(queue[index] as Item); // index is below the length
        if (sum > weight.max) return Math.max(index, 1);
    }
    return count;
}

/** Counts and returns the refusal of one more item. */
export function overloaded(queue: string): AppError {
    queueStats(queue).refused++;
    return new AppError('unavailable', 'The service is at capacity. Try again shortly.', {
        retry_after: 1,
        cause: new Error(`queue ${queue} is full`),
    });
}

export interface CoalesceOptions<Item, Result> extends Omit<GatherOptions<Item>, 'run'> {
    /**
     * Runs one batch. Resolves to one result per item, in order; an `Error` among them fails that item alone. `group`
     * ends with the last of its calls.
     */
    run(items: Item[], group: CallLifetime): Promise<Array<Result | Error>>;
    /**
     * True if a batch that failed as a whole is halved until the items at fault are alone. Needs an idempotent `run`.
     */
    bisect_on?(error: unknown): boolean;
    /** Why an item cannot join a batch, if it would fail the others in it. It is rejected with this error. */
    refuse?(item: Item): AppError | undefined;
    /** The name of the database, for traces. */
    system?: string;
}

export interface Coalescer<Item, Result> {
    /** Rejects with `unavailable` if too many wait, and as soon as the call ends while its item still waits. */
    (item: Item, lifetime?: CallLifetime): Promise<Result>;
    /** Items that wait for a batch. */
    waiting(): number;
}

interface QueuedItem<Item, Result> {
    item: Item;
    lifetime: CallLifetime;
    span: Span;
    resolve(result: Result): void;
    reject(error: unknown): void;
}

/** The deadline and cancellation of an item that no request waits for: none. */
const ENDLESS: CallLifetime = {};

/** Gathers single calls into batches, and gives each caller its own result. */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): Coalescer<Item, Result> {
    const { weight, name, system, refuse, ...bounds } = options;
    const entries = gather<QueuedItem<Item, Result>>({
        ...bounds,
        name,
        ...(weight && { weight: { of: ({ item }) => weight.of(item), max: weight.max } }),
        run(batch) {
            const now = performance.now();
            return settle(
                batch.filter((entry) => isWanted(entry, now)),
                options,
            );
        },
    });
    const sweep = (now: number): boolean => {
        if (entries.waiting() > 0) entries.retain((entry) => isWanted(entry, now));
        return entries.waiting() > 0;
    };
    const call = (item: Item, lifetime: CallLifetime = ENDLESS): Promise<Result> =>
        new Promise((resolve, reject) => {
            const refusal = refuse?.(item);
            if (refusal) throw refusal;
            const entry = { item, lifetime, span: NO_SPAN, resolve, reject };
            entries.add(entry);
            sweepWhileNeeded(sweep);
            entry.span = startSpan('client', name, lifetime);
            if (system !== undefined) entry.span.attribute('db.system.name', system);
        });
    return Object.assign(call, { waiting: entries.waiting });
}

/** True if somebody still waits for the entry. If nobody does, the entry fails. */
function isWanted<Item, Result>(entry: QueuedItem<Item, Result>, now: number): boolean {
    if (!isOver(entry.lifetime, now)) return true;
    fail(entry, overError(entry.lifetime));
    return false;
}

/** A group lasts as long as one of its calls does, and for ever if one of them has no deadline. */
function groupPatience(entries: ReadonlyArray<{ lifetime: CallLifetime }>): CallLifetime {
    let latest = 0;
    for (const { lifetime } of entries) {
        if (lifetime.deadline === undefined) return ENDLESS;
        latest = Math.max(latest, lifetime.deadline);
    }
    return { deadline: latest };
}

/** Runs a batch and settles each of its entries. */
async function settle<Item, Result>(
    entries: Array<QueuedItem<Item, Result>>,
    options: CoalesceOptions<Item, Result>,
): Promise<void> {
    if (entries.length === 0) return;
    let results: Array<Result | Error>;
    try {
        results = await options.run(
            entries.map(({ item, span }) => {
                span.sent(entries.length);
                return item;
            }),
            groupPatience(entries),
        );
    } catch (error) {
        if (entries.length > 1 && options.bisect_on?.(error)) {
            const middle = entries.length >> 1;
            await settle(entries.slice(0, middle), options);
            await settle(entries.slice(middle), options);
        } else {
            for (const entry of entries) fail(entry, error);
        }
        return;
    }
    entries.forEach((entry, index) => {
        const result = results[index] as Result | Error; // run() returns a result for every item
        if (result instanceof Error) {
            fail(entry, result);
        } else {
            entry.span.finish();
            entry.resolve(result);
        }
    });
}

function fail<Item, Result>({ span, reject }: QueuedItem<Item, Result>, error: unknown): void {
    span.finish(error);
    reject(error);
}
