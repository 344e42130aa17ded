import type { CallContext } from '../../platform/context.ts';
import { mapInFlight } from '../map-in-flight.ts';
import { type Claim, type HeldClaim, keyOf } from './claim.ts';
import type { Idempotency } from './idempotency.ts';

/** Earlier claims that one batch looks for at a time. One statement finds that many. */
const LOOKUPS_IN_FLIGHT = 64;

/** An item of a batch: its claim if the call has an Idempotency-Key, and the claim of an earlier call with it. */
export interface ClaimedItem<Item> {
    item: Item;
    claim?: Claim;
    held?: HeldClaim | undefined;
}

/** The value of an item of a batch, and whether an earlier call has created it. */
export interface ItemAnswer<Value> {
    value: Value;
    isReplay: boolean;
}

/**
 * Adds the claims to the items of a batch, and looks for earlier ones. `digests` returns a function whose result identifies
 * the request of an item, `placeOf` what distinguishes the item from the others, by default its index. Throws AppError `unprocessable` if one of the claims belongs to another request: then nothing
 * is created.
 */
export async function claimItems<Item>(
    idempotency: Idempotency,
    batch: {
        operation: string;
        items: readonly Item[];
        digests(): (item: Item) => Uint8Array;
        placeOf?(item: Item): number | undefined;
    },
    context: CallContext,
): Promise<Array<ClaimedItem<Item>>> {
    const key = keyOf(context);
    const { operation, items } = batch;
    if (key === undefined) return items.map((item) => ({ item }));
    const digestOf = batch.digests();
    const find = async (item: Item, index: number): Promise<ClaimedItem<Item>> => {
        const place = batch.placeOf?.(item) ?? index;
        const claim = idempotency.claimOfItem({ operation, key: `${key}/${place}`, digest: digestOf(item) }, context);
        return { item, claim, held: await idempotency.find(claim, context) };
    };
    return mapInFlight(items, LOOKUPS_IN_FLIGHT, find, context);
}

/** Runs an item of a batch with a context of its own, which tells whether its value repeats an earlier one. */
export async function runItem<Value, Context extends CallContext>(
    context: Context,
    run: (own: Context) => Promise<Value>,
): Promise<ItemAnswer<Value>> {
    const replay = { isReplay: false };
    const value = await run({ ...context, replay });
    return { value, isReplay: replay.isReplay };
}

/** Records how many of the created items repeat earlier ones. The answer is a replay if all of them do. */
export function noteItems(answers: ReadonlyArray<ItemAnswer<unknown>>, { replay }: CallContext): void {
    if (!replay) return;
    replay.items = answers.filter(({ isReplay }) => isReplay).length;
    replay.isReplay = replay.items > 0 && replay.items === answers.length;
}
