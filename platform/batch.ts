import { type CallLifetime, isOver, overError } from './context.ts';
import type { AppError } from './errors.ts';
import { type GatherOptions, gather } from './gather.ts';
import { sweepWhileNeeded } from './sweep.ts';
import type { Span } from './telemetry/span.ts';
import { startSpan } from './telemetry/tracing.ts';

export interface CoalesceOptions<Item, Result> extends Omit<GatherOptions<Item>, 'run'> {
    /**
     * Runs one batch. Resolves to one result per item, in order; an `Error` among them fails that item alone. `group`
     * is the lifetime of the batch: it ends with the last of its calls.
     */
    run(items: Item[], group: CallLifetime): Promise<Array<Result | Error>>;
    /**
     * True if a batch that failed with this error is halved and repeated, until each faulty item is alone. Needs an
     * idempotent `run`.
     */
    bisectOn?(error: unknown): boolean;
    /**
     * Returns an error if the item would fail the other items of a batch. The item is then rejected with this error.
     */
    refuse?(item: Item): AppError | undefined;
    /** The name of the database, for traces. */
    system?: string;
}

export interface Coalescer<Item, Result> {
    /**
     * Rejects with `unavailable` if too many items wait. Rejects soon after the call has ended if its item still waits.
     */
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

/** The lifetime of an item that belongs to no request: it has no deadline and is never cancelled. */
const ENDLESS: CallLifetime = {};

/** Gathers single calls into batches, and returns to each caller its own result. */
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
            const span = startSpan('client', name, lifetime);
            if (system !== undefined) span.attribute('db.system.name', system);
            try {
                entries.add({ item, lifetime, span, resolve, reject });
            } catch (error) {
                span.finish(error);
                throw error;
            }
            sweepWhileNeeded(sweep);
        });
    return Object.assign(call, { waiting: entries.waiting });
}

/** True if the call of the entry has not ended. Otherwise it rejects the entry. */
function isWanted<Item, Result>(entry: QueuedItem<Item, Result>, now: number): boolean {
    if (!isOver(entry.lifetime, now)) return true;
    fail(entry, overError(entry.lifetime));
    return false;
}

/**
 * The lifetime of a batch: it lasts until the latest deadline of its calls, or without end if a call has no deadline.
 */
function groupLifetime(entries: ReadonlyArray<{ lifetime: CallLifetime }>): CallLifetime {
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
            groupLifetime(entries),
        );
    } catch (error) {
        if (entries.length > 1 && options.bisectOn?.(error)) {
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
