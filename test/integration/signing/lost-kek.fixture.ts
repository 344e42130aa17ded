import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { kekCheck } from '../../../services/signing/key-encryption/kek-check.ts';
import { keyEncryption } from '../../../services/signing/key-encryption/key-encryption.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { testContext } from '../../support/harness.ts';
import { startVault } from '../../unit/services/signing/key-encryption/providers.fixture.ts';
import { startSigning } from './signing.fixture.ts';

export const encryptionOf = (kek: string) =>
    keyEncryption({ config: loadConfig({ KEK: kek }), metrics: createMetrics() });

export const trustedContext = () => testContext({ user_id: undefined, trusted: true });

/** Starts two signing services on one database: `other` has another key-encryption key than `signing`. */
export async function startTwoKeks() {
    const services = await startSigning();
    const { db, kek: oldKek, open } = services;
    const newKek = randomBytes(32).toString('base64');
    const vault = await startVault();
    beforeEach(async () => {
        vault.mood = 'well';
        await db.rows(sql.unsafe`TRUNCATE signing.issuers, signing.data_keys CASCADE`);
    });

    function vaultEncryption() {
        const settings = { KEK_PROVIDER: 'vault:transit/kek', VAULT_ADDR: vault.url, VAULT_TOKEN: vault.token };
        return keyEncryption({ config: loadConfig(settings), metrics: createMetrics() });
    }
    /** The check of a process, and its metric. */
    function startCheck(encryption = encryptionOf(newKek), provider?: string) {
        const metrics = createMetrics();
        const check = kekCheck({ store: signingStore(db), encryption, provider, metrics });
        const missing = async () => /^key_encryption_keys_missing (\d+)$/m.exec((await metrics.expose()).text)?.[1];
        return { check, missing };
    }
    const oldName = encryptionOf(oldKek).current;
    return { ...services, oldKek, newKek, oldName, other: open({ kek: newKek }), vault, vaultEncryption, startCheck };
}

/** Expects the error of a call that needs a key-encryption key which is not configured. */
export function lacksKek(error: unknown): boolean {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.kind, error.reason, error.retry_after], ['unavailable', 'kek', 5]);
    return true;
}
