import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { testContext } from '../../support/harness.ts';
import { encryptionOf, lacksKek, startTwoKeks, trustedContext } from './lost-kek.fixture.ts';
import { newIssuer } from './signing.fixture.ts';

const { db, signing, other, oldKek, newKek, oldName, vault, vaultEncryption, startCheck } = await startTwoKeks();
const payload = '{"a":1}';

describe('a process without the key-encryption key of the data keys', () => {
    it('answers each call that needs it with 503, and leaves everything as it is', async () => {
        const { did, issuer_id, context } = await newIssuer(signing, 'web');
        await signing.getStatusKey({}, trustedContext());
        const rows = () => db.rows(sql.unsafe`SELECT * FROM signing.keys JOIN signing.issuers ON id = issuer`);
        const before = await rows();
        for (const call of [
            () => other.sign({ did, payload }, context),
            () => other.checkSigner({ did }, context),
            () => other.createIssuer({ name: 'x', method: 'key' }, context),
            () => other.rotateKey({ issuer_id }, context),
            () => other.getStatusKey({}, trustedContext()),
        ]) {
            await assert.rejects(call(), lacksKek);
        }
        assert.deepEqual(await rows(), before);
        await newIssuer(other, 'web'); // an account without a data key
    });

    it('is not ready, and says which one is missing', async () => {
        await newIssuer(signing, 'key');
        await newIssuer(other, 'key');
        const { check, missing } = startCheck();
        await assert.rejects(check(), (error: Error) => error.message.includes(` ${oldName}, which `));
        assert.equal(await missing(), '1');
        const both = startCheck(encryptionOf(`${newKek},${oldKek}`));
        await both.check();
        assert.equal(await both.missing(), '0');
    });

    it('stays ready if another process begins to use one, but counts it as missing', async () => {
        const { check, missing } = startCheck();
        await newIssuer(other, 'key');
        await check();
        await newIssuer(signing, 'key');
        await check();
        assert.equal(await missing(), '1');
    });
});

describe('a key-encryption key that a provider keeps', () => {
    /** Adds data keys that the key in Vault has wrapped. */
    async function addDataKeys(count: number): Promise<void> {
        for (let added = 0; added < count; added++) {
            const account = testContext().user_id as string;
            const { kek, wrapped } = await vaultEncryption().wrap(randomBytes(32), account);
            await db.rows(sql.unsafe`
                INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
                VALUES (gen_random_uuid(), ${account}, ${kek}, ${sql.binary(wrapped)}, now())`);
        }
    }

    it('is missing if the provider has another key under its name', async () => {
        await addDataKeys(4);
        const provider = vaultEncryption().current;
        await startCheck(vaultEncryption(), provider).check();
        vault.key = randomBytes(32);
        const { check } = startCheck(vaultEncryption(), provider);
        await assert.rejects(check(), /wrapped with vault:transit\/kek, which/);
    });

    it('is not missing if one data key was changed, or while the provider does not answer', async () => {
        await addDataKeys(2);
        await db.rows(sql.unsafe`
            UPDATE signing.data_keys SET wrapped = 'vault:v1:AAAA' WHERE id = (SELECT min(id::text)::uuid FROM signing.data_keys)`);
        const { check } = startCheck(vaultEncryption(), 'vault:transit/kek');
        vault.mood = 'silent';
        await check();
        vault.mood = 'well';
        await check();
        const asked = vault.requests.length;
        await check();
        assert.equal(vault.requests.length, asked, 'it is not asked again');
    });
});
