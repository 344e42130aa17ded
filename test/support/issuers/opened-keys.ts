import { z } from 'zod';
import { openDatabase, sql } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { seals } from '../../../services/signing/data-keys.ts';
import { keyEncryption } from '../../../services/signing/key-encryption/key-encryption.ts';
import { signingStore } from '../../../services/signing/store.ts';
import { testContext } from '../context.ts';

/** What the service keeps of a key of a managed issuer. No answer of the service contains any of it. */
interface OpenedKey {
    kid: string;
    /** 32 bytes each. */
    seed: Buffer;
    dataKey: Buffer;
}

/** Opens the keys of issuers as the signing service does: with its database and its key-encryption key. */
export async function keyOpener({ databaseUrl, kek }: { databaseUrl: string; kek: string }) {
    const metrics = createMetrics();
    const db = await openDatabase({ url: databaseUrl, size: 1, pooled: false, metrics });
    const store = signingStore(db);
    const encryption = keyEncryption({ config: loadConfig({ KEK: kek }), metrics });
    const { open } = seals({ store, encryption, clock: Date.now });
    const context = testContext();
    return {
        /** Returns the DIDs of all issuers, with that of the service itself. */
        async dids(): Promise<string[]> {
            const rows = await db.rows(sql.type(z.strictObject({ did: z.string() }))`SELECT did FROM signing.issuers`);
            return rows.map(({ did }) => did);
        },
        /** Returns the keys of an issuer, the newest first. */
        async keysOf(did: string): Promise<OpenedKey[]> {
            const keys: OpenedKey[] = [];
            const rows = [...(await store.signer(did, context)), ...(await store.ownSigner(did, context))];
            for (const row of rows) {
                const { id: issuer, account, kid, data_key } = row;
                const wrapped = await store.findDataKey(data_key, context);
                if (!wrapped) throw new Error(`The data key of ${did} is missing.`);
                const seed = await open(row, { account, issuer, kid }, context);
                keys.push({ kid, seed, dataKey: await encryption.unwrap(wrapped, account) });
            }
            return keys;
        },
        close: () => db.close(),
    };
}
