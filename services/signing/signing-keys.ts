import type { Database } from '../../platform/postgres/db.ts';
import type { Config } from '../../platform/process/config.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Readiness } from '../../platform/telemetry/readiness.ts';
import { leasesEnd } from '../issuers/leases.ts';
import { seals } from './data-keys.ts';
import type { SigningDependencies } from './dependencies.ts';
import { kekCheck } from './key-encryption/kek-check.ts';
import { keyEncryption } from './key-encryption/key-encryption.ts';
import { signers } from './signers.ts';
import { signingStore } from './store.ts';
import { webhookSecretsStore } from './webhook-secrets/secrets.store.ts';

type SigningKeys = Pick<
    SigningDependencies,
    'store' | 'webhookSecrets' | 'seals' | 'signers' | 'publicUrl' | 'quota' | 'clock' | 'leasesEnd'
>;

/**
 * Creates what stores and opens the keys of issuers, and checks whether it can. Throws ConfigError if there is no
 * key-encryption key.
 */
export function signingKeys(process: {
    config: Config;
    db: Database;
    metrics: Metrics;
    addCheck: Readiness['addCheck'];
    /** Milliseconds since 1970. */
    clock: () => number;
}): SigningKeys {
    const { config, db, metrics, addCheck, clock } = process;
    const store = signingStore(db);
    const encryption = keyEncryption(process);
    addCheck('kek', kekCheck({ store, encryption, provider: config.KEK_PROVIDER, metrics }));
    const accountSeals = seals({ store, encryption, clock });
    return {
        store,
        webhookSecrets: webhookSecretsStore(db),
        seals: accountSeals,
        signers: signers({ store, seals: accountSeals }),
        publicUrl: config.PUBLIC_URL,
        quota: config.QUOTA_ISSUERS,
        clock,
        leasesEnd,
    };
}
