import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { newId } from '../../../../platform/ids.ts';
import { sql } from '../../../../platform/postgres/db.ts';
import { loadConfig } from '../../../../platform/process/config.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { keyEncryption } from '../../../../services/signing/key-encryption/key-encryption.ts';
import { testDatabase } from '../../../support/harness.ts';
import { inherited } from '../../../support/members.ts';

const { db, url } = await testDatabase();

const newKek = (): string => randomBytes(32).toString('base64');

/** Adds a data key that this key-encryption key wraps. */
async function add(own: string): Promise<void> {
    const keys = keyEncryption({ config: loadConfig({ KEK: own }), metrics: createMetrics() });
    const account = newId(Date.now());
    const { kek, wrapped } = await keys.wrap(randomBytes(32), account);
    await db.rows(sql.unsafe`
        INSERT INTO signing.data_keys (id, account, kek, wrapped, created_at)
        VALUES (${newId(Date.now())}, ${account}, ${kek}, ${sql.binary(wrapped)}, now())`);
}

function rewrap(program: readonly string[], kek: string): { status: number | null; output: string } {
    const env = { ...inherited(), DATABASE_URL: url, KEK: kek };
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { env, encoding: 'utf8' });
    return { status, output: stdout + stderr };
}

for (const [name, program] of [
    ['npm run keys:rewrap', ['deploy/local/rewrap.ts']],
    ['main.ts rewrap', ['main.ts', 'rewrap']],
] as const) {
    describe(name, () => {
        it('wraps the data keys again, says how many are left, and succeeds only if there are none', async () => {
            await db.rows(sql.unsafe`DELETE FROM signing.data_keys`);
            const [oldKek, currentKek, lostKek] = [newKek(), newKek(), newKek()];
            await add(oldKek);
            await add(lostKek);

            const first = rewrap(program, `${currentKek},${oldKek}`);
            assert.equal(first.status, 1);
            assert.match(first.output, /1 rewrapped with kek-[0-9a-f]{16}, 1 left/);
            assert.match(first.output, /Not all data keys are rewrapped, so remove no key from KEK\./);
            assert.doesNotMatch(first.output, /^ +at /m);

            const second = rewrap(program, `${currentKek},${lostKek}`);
            assert.equal(second.status, 0);
            assert.match(second.output, /1 rewrapped with kek-[0-9a-f]{16}, 0 left/);
            assert.equal(rewrap(program, currentKek).status, 0);
            for (const kek of [oldKek, currentKek, lostKek])
                assert.ok(!`${first.output}${second.output}`.includes(kek), 'a key is shown');
        });

        it('says which setting is missing', () => {
            const { status, output } = rewrap(program, '');
            assert.deepEqual([status, output], [1, 'The setting KEK is missing.\n']);
        });
    });
}
