import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { LONGEST_OF_ACCOUNT_MS } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { stringifyJson } from '../platform/json.ts';

/** Time limit of a batch of credentials, in milliseconds. Beyond it: `deadline`. */
export const BATCH_TIMEOUT_MS = LONGEST_OF_ACCOUNT_MS;

/**
 * Number of items that are read, shown or written in one turn of the event loop. Each of these takes about half a
 * millisecond. Beyond it: the others follow in later turns.
 */
const ITEMS_PER_TURN = 32;

/** The result of one item, as the services return it. Exactly one of both is set. */
interface ItemResult<Value> {
    value?: Value | undefined;
    failure?: { code: string; error: string } | undefined;
}

const indexed = { index: z.number() };
const failed = z.object({ ...indexed, ok: z.literal(false), code: z.string(), error: z.string() });

/** The schema of the answer to a batch. A succeeded item has the fields of the answer to a single call. */
export function batchAnswer<Shape extends z.ZodRawShape>(single: z.ZodObject<Shape>) {
    const succeeded = single.extend({ ...indexed, ok: z.literal(true) });
    return z.object({
        results: z.array(z.union([succeeded, failed])),
        total_succeeded: z.number(),
        total_failed: z.number(),
    });
}

/**
 * Runs the valid items of a batch, and returns the results of all items in the order in which they were sent. `read`
 * validates an item, which was sent at this index. An AppError that it throws fails this item alone. `run` gets the
 * valid items and the indexes of the others. It is skipped if no item is valid, unless `alwaysRun` is set because it
 * also checks what the items share.
 */
export async function answerBatch<Item, Value extends object>(
    sent: readonly unknown[],
    {
        read,
        run,
        alwaysRun = false,
    }: {
        read(item: unknown, index: number): Item;
        run(items: Item[], refused: number[]): Promise<Array<ItemResult<Value>>>;
        alwaysRun?: boolean;
    },
) {
    const refused = new Map<number, ItemResult<Value>>();
    const items: Item[] = [];
    await inTurns(sent, (item, index) => {
        try {
            items.push(read(item, index));
        } catch (error) {
            if (!(error instanceof AppError)) throw error;
            refused.set(index, { failure: { code: error.kind, error: error.detail } });
        }
    });
    const isRun = alwaysRun || items.length > 0;
    const others = (isRun ? await run(items, [...refused.keys()]) : []).values();
    const results = await inTurns(sent, (_, index) => {
        // run() returns one result for each of the other items
        const { value, failure } = refused.get(index) ?? (others.next().value as ItemResult<Value>);
        if (failure) return { index, ok: false as const, ...failure };
        return { index, ok: true as const, ...(value as Value) }; // set, because there is no failure
    });
    const failedCount = results.filter(({ ok }) => !ok).length;
    return { results, total_succeeded: results.length - failedCount, total_failed: failedCount };
}

/**
 * The JSON text of the answer to a batch, in pieces: the fields of `data` that `answer` declares. Its lists are written in
 * groups, each in a turn of the event loop of its own: the text of 1,000 results in one piece would delay all other
 * answers by 20 ms.
 */
export async function* piecesOf(answer: z.ZodObject, data: Record<string, unknown>): AsyncGenerator<string> {
    for (const [index, [name, field]] of Object.entries(answer.shape).entries()) {
        const key = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
        const value = data[name];
        if (field instanceof z.ZodArray) yield* groupsOf(key, field.element, value as unknown[]);
        else yield `${key}${stringifyJson(z.parse(field, value))}`;
    }
    yield '}';
}

async function* groupsOf(key: string, element: z.core.$ZodType, values: readonly unknown[]): AsyncGenerator<string> {
    if (values.length === 0) yield `${key}[`;
    for (let from = 0; from < values.length; from += ITEMS_PER_TURN) {
        if (from > 0) await nextTurn();
        const texts = values.slice(from, from + ITEMS_PER_TURN).map((value) => stringifyJson(z.parse(element, value)));
        yield `${from === 0 ? `${key}[` : ','}${texts.join(',')}`;
    }
    yield ']';
}

/** Maps values in their order, some in each turn of the event loop: 1,000 in one turn would delay all other calls. */
async function inTurns<Value, Result>(
    values: readonly Value[],
    map: (value: Value, index: number) => Result,
): Promise<Result[]> {
    const results: Result[] = [];
    for (const [index, value] of values.entries()) {
        if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
        results.push(map(value, index));
    }
    return results;
}
