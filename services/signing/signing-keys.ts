import type { Database } from '../../platform/postgres/db.ts';
import type { Config } from '../../platform/process/config.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { leasesEnd } from '../issuers/leases.ts';
import { seeds } from './data-keys.ts';
import type { SigningDependencies } from './dependencies.ts';
import { keyEncryption } from './key-encryption/key-encryption.ts';
import { signers } from './signers.ts';
import { signingStore } from './store.ts';

type SigningKeys = Pick<
    SigningDependencies,
    'store' | 'seeds' | 'signers' | 'publicUrl' | 'quota' | 'clock' | 'leasesEnd'
>;

/** Creates what stores and opens the keys of issuers. Throws ConfigError if there is no key-encryption key. */
export function signingKeys(process: {
    config: Config;
    db: Database;
    metrics: Metrics;
    /** Milliseconds since 1970. */
    clock: () => number;
}): SigningKeys {
    const { config, db, clock } = process;
    const store = signingStore(db);
    const accountSeeds = seeds({ store, encryption: keyEncryption(process), clock });
    return {
        store,
        seeds: accountSeeds,
        signers: signers({ store, seeds: accountSeeds }),
        publicUrl: config.PUBLIC_URL,
        quota: config.QUOTA_ISSUERS,
        clock,
        leasesEnd,
    };
}
