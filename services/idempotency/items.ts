import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { mapInFlight } from '../map-in-flight.ts';
import { type Claim, type HeldClaim, keyOf } from './claim.ts';
import type { Idempotency } from './idempotency.ts';

/** Earlier claims that one batch looks for at a time. One statement finds that many. Beyond it: the next one waits. */
const LOOKUPS_IN_FLIGHT = 64;

/** An item of a batch: its claim if the call has an Idempotency-Key, and the claim of an earlier call with it. */
export interface ClaimedItem<Item> {
    item: Item;
    claim?: Claim;
    held?: HeldClaim | undefined;
}

/** The value of an item of a batch, and whether an earlier call has created it. */
interface ItemAnswer<Value> {
    value: Value;
    isReplay: boolean;
}

/**
 * Adds the claims to the items of a batch, and looks for earlier ones. `digestOf` returns what
 * identifies the request of an item, `placeOf` what distinguishes the item from the others, by default its index.
 * `refusedPlaces` are those of items that the caller refused. Throws AppError `unprocessable` if one of the claims
 * belongs to another request, or to a refused item, and `invalid` if two items have the same place: then nothing is
 * created.
 */
export async function claimItems<Item>(
    idempotency: Idempotency,
    batch: {
        operation: string;
        items: readonly Item[];
        digestOf(item: Item): Uint8Array;
        placeOf?(item: Item): number | undefined;
        refusedPlaces?: readonly number[];
    },
    context: CallContext,
): Promise<Array<ClaimedItem<Item>>> {
    const key = keyOf(context);
    const { operation, items, refusedPlaces = [] } = batch;
    if (key === undefined) return items.map((item) => ({ item }));
    const places = items.map((item, index) => batch.placeOf?.(item) ?? index);
    requireDistinct([...places, ...refusedPlaces]);
    const claimAt = (place: number | undefined, digest: Uint8Array) =>
        idempotency.claimOfItem({ operation, key: `${key}/${place}`, digest }, context);
    const findRefused = (place: number) => idempotency.find(claimAt(place, NO_DIGEST), context);
    const find = async (item: Item, index: number): Promise<ClaimedItem<Item>> => {
        const claim = claimAt(places[index], batch.digestOf(item));
        return { item, claim, held: await idempotency.find(claim, context) };
    };
    await mapInFlight(refusedPlaces, LOOKUPS_IN_FLIGHT, findRefused, context);
    return mapInFlight(items, LOOKUPS_IN_FLIGHT, find, context);
}

/** The digest of a refused item. It differs from that of every request, so any earlier claim is a conflict. */
const NO_DIGEST = new Uint8Array();

function requireDistinct(places: readonly number[]): void {
    if (new Set(places).size < places.length) throw invalid('Two items of the batch have the same place.');
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

/** Records whether the answer is a replay: all of the created items repeat earlier ones. */
export function noteItems(answers: ReadonlyArray<ItemAnswer<unknown>>, { replay }: CallContext): void {
    if (replay) replay.isReplay = answers.length > 0 && answers.every(({ isReplay }) => isReplay);
}
