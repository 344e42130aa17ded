import { type CallContext, throwIfCancelled } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { mapInFlight } from './map-in-flight.ts';

/** The result of one item of a batch. `failure` says why the item failed. */
export type ItemOutcome<Value> = { value: Value; failure?: undefined } | { value?: undefined; failure: AppError };

/** No item starts in the last part of the time of its call, in milliseconds. So the answer still arrives. */
const RESERVE_MS = 2_000;
/** Items that are in progress this long (ms) before the deadline of the call count as failed, and the call is answered. */
const ANSWER_MS = 500;

/**
 * Runs the items of a batch, at most `limit` at a time. Returns their outcomes in order. An item that fails with an
 * AppError fails alone, and so does an item that has no time left, with AppError `deadline`. `noun` names an item.
 * Throws AppError `cancelled` if the client disconnects.
 */
export async function itemOutcomes<Item, Value>(
    items: readonly Item[],
    { limit, noun, context }: { limit: number; noun: string; context: CallContext },
    run: (item: Item) => Promise<Value>,
): Promise<Array<ItemOutcome<Value>>> {
    const outcomes = new Array<ItemOutcome<Value> | undefined>(items.length).fill(undefined);
    const runOne = async (item: Item, index: number): Promise<void> => {
        if (context.deadline - performance.now() < RESERVE_MS) return;
        try {
            outcomes[index] = { value: await run(item) };
        } catch (error) {
            throwIfCancelled(context);
            if (!(error instanceof AppError)) throw error;
            outcomes[index] = { failure: error };
        }
    };
    await beforeDeadline(mapInFlight(items, limit, runOne, context), context);
    return outcomes.map((outcome) => outcome ?? { failure: outOfTime(noun) });
}

/** Resolves when the work is done, at the latest when the call must be answered. */
async function beforeDeadline(work: Promise<unknown>, { deadline }: CallContext): Promise<void> {
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deadline - performance.now() - ANSWER_MS);
    try {
        await Promise.race([work, timeUp]);
    } finally {
        clearTimeout(timer);
    }
}

function outOfTime(noun: string): AppError {
    return new AppError('deadline', `The time ran out before this ${noun}. Send it again.`);
}
