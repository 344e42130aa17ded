import { ownContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { pages } from './pages.ts';
import type { RewrapStore, StoredDataKey } from './rewrap.store.ts';

/** Maximum number of data keys that are unwrapped at a time. Beyond it: the next ones wait. */
export const KEYS_IN_FLIGHT = 8;

/** Not all data keys are as the operator wants them. The message says why. */
export class NotRewrapped extends Error {}

/** Whether a data key cannot be unwrapped: it was changed, or its key-encryption key is not configured. */
export function unreadable(error: unknown): error is AppError {
    return error instanceof AppError && (error.kind === 'internal' || error.reason === 'kek');
}

interface Dependencies {
    store: RewrapStore;
    keys: KeyEncryption;
    /** Prints one line. */
    print(line: string): void;
}

/**
 * Wraps all data keys with the current key-encryption key. It may be interrupted and run again, and it may run several
 * times at once: each data key is written once, and only if it is as it was read. Services may read and add data keys
 * meanwhile. Throws NotRewrapped.
 */
export async function rewrapAll({ store, keys, print }: Dependencies): Promise<void> {
    const { current } = keys;
    let [rewrapped, failed] = [0, 0];
    for await (const page of pages((range) => store.page(current, range))) {
        const outcomes = await mapInFlight(
            page,
            KEYS_IN_FLIGHT,
            (row) => rewrapOne(row, { store, keys, print }),
            ownContext(),
        );
        rewrapped += outcomes.filter((outcome) => outcome === 'rewrapped').length;
        failed += outcomes.filter((outcome) => outcome === 'failed').length;
        print(`${rewrapped} rewrapped, ${failed} failed`);
    }
    const left = await store.count(current);
    print(`${rewrapped} rewrapped with ${current}, ${left} left`);
    if (left > 0) throw new NotRewrapped(reasonOf(failed));
}

/** `changed` means that another run has rewrapped it. */
async function rewrapOne(
    row: StoredDataKey,
    { store, keys, print }: Dependencies,
): Promise<'rewrapped' | 'changed' | 'failed'> {
    let dataKey: Buffer;
    try {
        dataKey = await keys.unwrap(row, row.account);
    } catch (error) {
        if (!unreadable(error)) throw error;
        print(`data key ${row.id}: ${causeOf(error)}`);
        return 'failed';
    }
    const next = await keys.wrap(dataKey, row.account).finally(() => dataKey.fill(0));
    return (await store.replace(row, next)) ? 'rewrapped' : 'changed';
}

export function causeOf(error: AppError): string {
    return error.cause instanceof Error ? error.cause.message : error.detail;
}

function reasonOf(failed: number): string {
    const rule = 'Not all data keys are rewrapped, so remove no key from KEK.';
    if (failed > 0) return `${rule} The lines above name those that cannot be unwrapped.`;
    return `${rule} Services have added some meanwhile: replace those without the new key, and run this again.`;
}
