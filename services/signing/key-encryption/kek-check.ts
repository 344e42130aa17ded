import { AppError } from '../../../platform/errors.ts';
import { singleFlight } from '../../../platform/single-flight.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import type { SigningStore } from '../rows.ts';
import type { KeyEncryption } from './key-encryption.ts';

/**
 * Number of data keys that are tried. One that was changed does not unwrap, although its key-encryption key is right.
 * Beyond it: the key-encryption key counts as missing.
 */
const TRIED_DATA_KEYS = 3;
/**
 * How long a check waits for the provider of the key-encryption key, in milliseconds. Beyond it: nobody knows, and the
 * next check tries again.
 */
const PROVIDER_WAIT_MS = 1_000;

interface Dependencies {
    store: Pick<SigningStore, 'keksInUse' | 'oldestDataKeys'>;
    encryption: KeyEncryption;
    /** The name of the key-encryption key that a provider keeps. */
    provider: string | undefined;
    metrics: Metrics;
}

/**
 * Returns a check which rejects if data keys need a key-encryption key that this process does not have. The name of a key
 * from the settings is its fingerprint. A provider may have another key under the same name, so some data keys are tried.
 *
 * A key that is needed since the first check makes the process unready until it is not needed any more. One that another
 * process begins to use later only raises the metric: otherwise a rotation in the wrong order would end all processes.
 */
export function kekCheck({ store, encryption, provider, metrics }: Dependencies): () => Promise<void> {
    let missing: readonly string[] = [];
    let missingAtFirst: ReadonlySet<string> | undefined;
    let isProven = false;
    metrics.gauge(
        'key_encryption_keys_missing',
        'Number of key-encryption keys that data keys of managed issuers need and that this process does not have.',
        () => missing.length,
    );

    async function findMissing(): Promise<string[]> {
        const needed = await store.keksInUse();
        const unknown = needed.filter((name) => !encryption.names.includes(name));
        if (provider === undefined || isProven || !needed.includes(provider)) return unknown;
        const unwraps = await unwrapsAny(provider).catch(() => undefined); // it does not answer, so nobody knows
        isProven = unwraps === true;
        return unwraps === false ? [...unknown, provider] : unknown;
    }

    const unwrapsAny = singleFlight(
        async (name: string): Promise<boolean> => {
            for (const row of await store.oldestDataKeys(name, TRIED_DATA_KEYS)) {
                try {
                    (await encryption.unwrap(row, row.account)).fill(0);
                    return true;
                } catch (error) {
                    if (!(error instanceof AppError) || error.kind !== 'internal') throw error;
                }
            }
            return false;
        },
        'kek',
        PROVIDER_WAIT_MS,
    );

    return async () => {
        missing = await findMissing();
        missingAtFirst ??= new Set(missing);
        const names = missing.filter((name) => missingAtFirst?.has(name));
        if (names.length > 0) throw new Error(reasonOf(names));
    };
}

function reasonOf(names: readonly string[]): string {
    return `Data keys are wrapped with ${names.join(', ')}, which this process does not have. See KeyEncryptionKeyMissing in docs/runbooks.md.`;
}
