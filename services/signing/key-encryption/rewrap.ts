import { ownContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { NIL_ID } from '../../../platform/ids.ts';
import { openDatabase } from '../../../platform/postgres/db.ts';
import { type Config, required } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { mapInFlight } from '../../map-in-flight.ts';
import { type KeyEncryption, keyEncryption } from './key-encryption.ts';
import { type RewrapStore, rewrapStore, type StoredDataKey } from './rewrap.store.ts';

/** Maximum number of data keys in memory. */
const BATCH_ROWS = 500;
/** Maximum number of data keys that are unwrapped at a time. */
const KEYS_IN_FLIGHT = 8;

/** Some data keys are still wrapped with another key-encryption key. The message says why. */
export class NotRewrapped extends Error {}

interface Dependencies {
    store: RewrapStore;
    keys: KeyEncryption;
    /** Prints one line. */
    print(line: string): void;
}

/** Wraps all data keys with the current key-encryption key. Throws ConfigError or NotRewrapped. */
export async function rewrap({ config, print }: { config: Config; print: Dependencies['print'] }): Promise<void> {
    const metrics = createMetrics();
    const keys = keyEncryption({ config, metrics });
    const pooled = config.DATABASE_POOLER === 'transaction';
    const url = required(config, 'DATABASE_URL');
    const db = await openDatabase({ url, size: config.DATABASE_POOL, pooled, metrics });
    try {
        await rewrapAll({ store: rewrapStore(db), keys, print });
    } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new NotRewrapped(`Interrupted: ${causeOf(error)}. Run this again; it continues where it was.`);
    } finally {
        await db.close();
    }
}

/**
 * Like `rewrap`. It may be interrupted and run again, and it may run several times at once: each data key is written
 * once, and only if it is as it was read. Services may read and add data keys meanwhile.
 */
export async function rewrapAll({ store, keys, print }: Dependencies): Promise<void> {
    const { current } = keys;
    let [after, rewrapped, failed] = [NIL_ID, 0, 0];
    for (;;) {
        const page = await store.page({ current, after, limit: BATCH_ROWS });
        const last = page.at(-1);
        if (!last) break;
        const outcomes = await mapInFlight(
            page,
            KEYS_IN_FLIGHT,
            (row) => rewrapOne(row, { store, keys, print }),
            ownContext(),
        );
        after = last.id;
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
        if (!(error instanceof AppError) || error.kind !== 'internal') throw error;
        print(`data key ${row.id}: ${causeOf(error)}`);
        return 'failed';
    }
    const next = await keys.wrap(dataKey, row.account).finally(() => dataKey.fill(0));
    return (await store.replace(row, next)) ? 'rewrapped' : 'changed';
}

function causeOf(error: AppError): string {
    return error.cause instanceof Error ? error.cause.message : error.detail;
}

function reasonOf(failed: number): string {
    const rule = 'Not all data keys are rewrapped, so remove no key from KEK.';
    if (failed > 0) return `${rule} The lines above name those that cannot be unwrapped.`;
    return `${rule} Services have added some meanwhile: replace those without the new key, and run this again.`;
}
