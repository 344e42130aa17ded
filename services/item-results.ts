import { type CallContext, throwIfCancelled } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { within } from '../platform/within.ts';
import { mapInFlight } from './map-in-flight.ts';

/** The result of one item of a batch. `failure` says why the item failed. */
export type ItemResult<Value> =
    | { value: Value; failure?: undefined }
    | { value?: undefined; failure: { code: AppError['kind']; error: string } };

/**
 * No item starts in the last part of the time of its call, so that the answer still arrives: this share of the time
 * that is left when the batch begins. Beyond it: the item has the code `deadline`.
 */
const RESERVE_SHARE = 0.1;
/** Longest time before the end of a batch in which no item starts, in milliseconds. */
const RESERVE_MS = 2_000;
/**
 * Share of the reserve in which items in progress are no longer awaited. Beyond it: they have the code `deadline`, and
 * the call is answered.
 */
const ANSWER_SHARE = 0.25;

/**
 * Runs the items of a batch, at most `limit` at a time. Returns their results in order. An item that fails with an
 * AppError fails alone, and so does an item that has no time left, with AppError `deadline`. `noun` names an item.
 * Throws AppError `cancelled` if the client disconnects.
 */
export async function itemResults<Item, Value>(
    items: readonly Item[],
    { limit, noun, context }: { limit: number; noun: string; context: CallContext },
    run: (item: Item) => Promise<Value>,
): Promise<Array<ItemResult<Value>>> {
    const reserveMs = Math.min((context.deadline - performance.now()) * RESERVE_SHARE, RESERVE_MS);
    const lastStart = context.deadline - reserveMs;
    const results = new Array<ItemResult<Value> | undefined>(items.length).fill(undefined);
    const runOne = async (item: Item, index: number): Promise<void> => {
        if (performance.now() >= lastStart) return;
        try {
            results[index] = { value: await run(item) };
        } catch (error) {
            throwIfCancelled(context);
            if (!(error instanceof AppError)) throw error;
            results[index] = { failure: failureOf(error) };
        }
    };
    const leftMs = context.deadline - reserveMs * ANSWER_SHARE - performance.now();
    await within(Math.max(leftMs, 0), mapInFlight(items, limit, runOne, context));
    return results.map((result) => result ?? { failure: failureOf(outOfTime(noun)) });
}

function failureOf({ kind, detail }: AppError) {
    return { code: kind, error: detail };
}

function outOfTime(noun: string): AppError {
    return new AppError('deadline', `The time ran out before this ${noun}. Send it again.`);
}
