import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { reseal } from '../../../services/signing/data-keys.ts';
import { keyEncryption } from '../../../services/signing/key-encryption/key-encryption.ts';
import { replaceDataKeys } from '../../../services/signing/key-encryption/replace-data-keys.ts';
import { replacementStore } from '../../../services/signing/key-encryption/replacement.store.ts';
import { storedDataKey } from '../../../services/signing/key-encryption/rewrap.store.ts';
import { NotRewrapped } from '../../../services/signing/key-encryption/rewrap.ts';
import { sealedSecretKey } from '../../../services/signing/rows.ts';
import { newIssuer, startSigning } from './signing.fixture.ts';

const { db, kek, open, signing } = await startSigning();
const keys = keyEncryption({ config: loadConfig({ KEK: kek }), metrics: createMetrics() });
const payload = '{"a":1}';

const dataKeys = () => db.rows(sql.type(storedDataKey)`SELECT id, account, kek, wrapped FROM signing.data_keys`);
/** A time after everything that was made until now. */
const now = async () => {
    const [row] = await db.rows(
        sql.type(z.strictObject({ now: z.string() }))`SELECT clock_timestamp() AS now FROM pg_sleep(0.002)`,
    );
    return row?.now ?? '';
};

/** All data keys in clear, as somebody takes them who runs code in a process of signing. */
async function takenDataKeys(): Promise<Buffer[]> {
    return Promise.all((await dataKeys()).map((row) => keys.unwrap(row, row.account)));
}

/** The signing keys that these data keys open. */
async function opened(by: readonly Buffer[]): Promise<string[]> {
    const rows = await db.rows(sql.type(sealedSecretKey.extend({ issuer: z.string(), account: z.string().nullable() }))`
        SELECT kid, issuer, sealed, data_key, account FROM signing.keys JOIN signing.issuers ON id = issuer`);
    return rows
        .filter((row) => by.some((dataKey) => reseal(row.sealed, { from: dataKey, to: dataKey }, row)))
        .map(({ kid }) => kid);
}

/** Replaces all data keys. Services make `calls` meanwhile. Returns what is printed. */
async function replace(before: string, calls = async (): Promise<unknown> => undefined): Promise<string[]> {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    await replaceDataKeys(before, { store: replacementStore(db), keys, print, callsEnd: calls }).catch((error) => {
        if (!(error instanceof NotRewrapped)) throw error;
        lines.push(error.message);
    });
    return lines;
}

beforeEach(async () => {
    await db.rows(sql.unsafe`TRUNCATE signing.issuers, signing.data_keys CASCADE`);
});

describe('replacing data keys', () => {
    it('lets who has taken them open no key that is stored or made afterwards', async () => {
        const one = await newIssuer(signing, 'web');
        const two = await newIssuer(signing, 'key', one.context);
        const other = await newIssuer(signing, 'key');
        const taken = await takenDataKeys();
        assert.deepEqual((await opened(taken)).sort(), [one.kid, two.kid, other.kid].sort());
        const lines = await replace(await now());
        assert.match(lines.at(-1) ?? '', /^0 data keys from before .* are left$/);
        await signing.rotateKey({ issuer_id: one.issuer_id }, one.context);
        await newIssuer(signing, 'key', one.context);
        assert.deepEqual(await opened(taken), []);
        assert.equal((await dataKeys()).length, 2, 'each account has one');
    });

    it('changes no issuer, and every process goes on signing', async () => {
        const { did, kid, context } = await newIssuer(signing, 'web');
        await newIssuer(signing, 'key', context);
        const before = await signing.sign({ did, payload }, context);
        await replace(await now());
        for (const service of [signing, open()])
            assert.deepEqual(await service.sign({ did, payload, kid }, context), before);
    });

    it('also replaces that of the service itself', async () => {
        const trusted = { ...(await newIssuer(signing, 'key')).context, user_id: undefined, trusted: true };
        const { did } = await signing.getStatusKey({}, trusted);
        const taken = await takenDataKeys();
        await replace(await now());
        assert.deepEqual(await opened(taken), []);
        assert.equal((await open().getStatusKey({}, trusted)).did, did);
    });

    it('also seals again what a call has sealed with the old data key meanwhile', async () => {
        const { did, kid, context } = await newIssuer(signing, 'web');
        const taken = await takenDataKeys();
        const [row] = await db.rows(
            sql.type(
                sealedSecretKey.pick({ sealed: true, data_key: true }),
            )`SELECT sealed, data_key FROM signing.keys WHERE kid = ${kid}`,
        );
        await replace(await now(), async () => {
            await db.rows(sql.unsafe`
                UPDATE signing.keys SET sealed = ${sql.binary(row?.sealed as Buffer)}, data_key = ${row?.data_key ?? ''}
                WHERE kid = ${kid}`);
            assert.deepEqual(await opened(taken), [kid]);
        });
        assert.deepEqual(await opened(taken), []);
        await open().sign({ did, payload }, context);
    });

    it('does nothing the second time for the same time', async () => {
        await newIssuer(signing, 'key');
        const before = await now();
        await replace(before);
        const made = await dataKeys();
        await replace(before);
        assert.deepEqual(await dataKeys(), made);
    });

    it('keeps a data key with a signing key that cannot be opened, says so, and replaces all others', async () => {
        const [broken, whole] = [await newIssuer(signing, 'web'), await newIssuer(signing, 'web')];
        const sibling = await newIssuer(signing, 'web', broken.context);
        await db.rows(sql.unsafe`
            UPDATE signing.keys SET sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) WHERE kid = ${broken.kid}`);
        const taken = await takenDataKeys();
        const lines = await replace(await now());
        assert.ok(lines.includes(`key ${broken.kid}: it was changed or moved`));
        assert.match(lines.at(-1) ?? '', /^The lines above say why data keys are left\./);
        assert.deepEqual(await opened(taken), []);
        for (const { did, context } of [whole, sibling]) await open().sign({ did, payload }, context);
    });

    it('is refused for a time in the future, because it would never end', async () => {
        await assert.rejects(replace(new Date(Date.now() + 60_000).toISOString()), /must be in the past/);
    });
});
