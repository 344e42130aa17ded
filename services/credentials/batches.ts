import { Places } from '../../platform/bounded-queue.ts';
import { type CallContext, callerOf } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { MAX_BATCH_ITEMS } from '../../proto/limits.ts';
import { type ItemResult, itemResults } from '../item-results.ts';

/**
 * Maximum number of items of one batch that are in progress: as many as one batch of signatures holds. With more of
 * them, single calls wait longer, and the items of a batch to verify cost the same. Beyond it: the next item waits.
 */
const ITEMS_IN_FLIGHT = 16;
/** Number of batches that a process works on at a time. Beyond it: the next one waits; accounts take turns. */
const BATCHES = 4;
/** Maximum number of waiting batches. Each may hold some MiB. Beyond it: `unavailable`. */
const MAX_WAITING = 64;

const METHODS = ['issue', 'verify', 'revoke', 'status'] as const;
type BatchMethod = (typeof METHODS)[number];
/** The outcomes that are shown from the start: success, and what the alert is about. */
const ZERO_OUTCOMES = ['ok', 'deadline', 'unavailable'];

/** The context of an item. Its signatures leave at least half of the threads' places to single calls. */
export type ItemContext = CallContext & { background: true };

export interface Batches {
    /**
     * Runs each item, and returns their results in order. A failed item does not affect the others. Accounts take turns
     * if many batches come at once. Throws AppError `unavailable` if too many batches wait.
     */
    run<Item, Value>(
        batch: { method: BatchMethod; items: readonly Item[]; context: CallContext },
        run: (item: Item, context: ItemContext) => Promise<Value>,
    ): Promise<Array<ItemResult<Value>>>;
}

/** Throws AppError `invalid` if the list has no items, or too many. `field` names it. */
export function requireItems(field: string, items: readonly unknown[]): void {
    if (items.length > 0 && items.length <= MAX_BATCH_ITEMS) return;
    throw invalid(`${field} must have 1 to ${MAX_BATCH_ITEMS} items.`);
}

export function batches(metrics: Metrics): Batches {
    const places = new Places({ places: BATCHES, name: 'credential_batches', maxWaiting: MAX_WAITING });
    const counter = metrics.counter({
        name: 'credential_batch_items_total',
        help: 'Items of batches of credentials, by method and outcome: ok, or the kind of the error.',
        labels: ['method', 'outcome'],
    });
    for (const method of METHODS) for (const outcome of ZERO_OUTCOMES) counter.inc({ method, outcome }, 0);
    return {
        async run({ method, items, context }, run) {
            const own: ItemContext = { ...context, background: true };
            const batch = { limit: ITEMS_IN_FLIGHT, noun: 'item', context };
            const runAll = () => itemResults(items, batch, (item) => run(item, own));
            const results = await places.run(runAll, context, callerOf(context));
            for (const { failure } of results) counter.inc({ method, outcome: failure?.code ?? 'ok' });
            return results;
        },
    };
}
