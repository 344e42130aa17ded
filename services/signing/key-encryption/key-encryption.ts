import { AppError } from '../../../platform/errors.ts';
import { NIL_ID } from '../../../platform/ids.ts';
import { type Config, required } from '../../../platform/process/config.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { awsKmsKek } from './aws-kms-kek.ts';
import { type Kek, unusableKek } from './kek.ts';
import { timedKek } from './kek-metrics.ts';
import { ownKek } from './own-kek.ts';
import { vaultKek } from './vault-kek.ts';

/** The account that a data key belongs to. Null stands for the service itself. */
export type Account = string | null;

/** Wraps and unwraps data keys with a key-encryption key (KEK) that is not in the database. */
export interface KeyEncryption {
    /** The name of the KEK that `wrap` uses. */
    readonly current: string;
    /** The names of all KEKs that `unwrap` can use. */
    readonly names: readonly string[];
    /**
     * Wraps a data key of 32 bytes. It unwraps only for the same account. Throws AppError `unavailable` if the provider
     * of the KEK fails or takes longer than 3 s.
     */
    wrap(dataKey: Uint8Array, account: Account): Promise<{ kek: string; wrapped: Buffer }>;
    /**
     * Returns the data key, which the caller must wipe with fill(0) after use. `stored.kek` names the KEK. Throws
     * AppError `unavailable` if the KEK is not configured, or if its provider fails or takes longer than 3 s, and
     * `internal` if the stored bytes were changed or belong to another account.
     */
    unwrap(stored: { kek: string; wrapped: Uint8Array }, account: Account): Promise<Buffer>;
}

/**
 * Uses the KEKs of the settings. The provider wraps if there is one, otherwise the first key in KEK. All of them
 * unwrap. Throws ConfigError if a setting is missing.
 */
export function keyEncryption({ config, metrics }: { config: Config; metrics: Metrics }): KeyEncryption {
    const timed = timedKek(metrics);
    const own = (config.KEK ?? []).map(ownKek);
    const current = timed(currentKek(config));
    const keks = [current, ...own.map(timed)];
    return {
        current: current.name,
        names: keks.map(({ name }) => name),
        wrap: async (dataKey, account) => ({
            kek: current.name,
            wrapped: await current.wrap(dataKey, ownerOf(account)),
        }),
        async unwrap({ kek: name, wrapped }, account) {
            const kek = keks.find((one) => one.name === name);
            if (!kek) throw unusableKek(`the key-encryption key ${name} is not configured`);
            const dataKey = await kek.unwrap(wrapped, ownerOf(account));
            if (dataKey) return dataKey;
            const cause = new Error('the data key was changed, or belongs to another account');
            throw new AppError('internal', 'A data key cannot be unwrapped.', { cause });
        },
    };
}

function currentKek(config: Config): Kek {
    const { KEK_PROVIDER: provider } = config;
    if (provider === undefined) return ownKek(required(config, 'KEK')[0]);
    return provider.startsWith('vault:') ? vaultKek(provider, config) : awsKmsKek(provider);
}

function ownerOf(account: Account): string {
    return account ?? NIL_ID;
}
