import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDataDir } from '../../../../deploy/local/data-dir.ts';
import { startPostgres } from '../../../../deploy/local/databases/postgres.ts';
import { keptSecrets } from '../../../../deploy/local/kept-secrets.ts';
import { Problem } from '../../../../deploy/local/problem.ts';
import { emptyDatabase, testDatabase } from '../../../support/harness.ts';
import { temporaryDataDir } from './launch.ts';

const FILES = ['idempotency-pepper', 'internal-secret', 'jwt-key.pem', 'kek', 'service-token'];
const { url: usedDatabase } = await testDatabase();
const newDatabase = await emptyDatabase();

/** A data folder in which a start has made all secrets. */
async function usedFolder(t: TestContext): Promise<string> {
    const dataDir = openDataDir(temporaryDataDir(t));
    const made = await keptSecrets({ dataDir, given: {} }, newDatabase);
    assert.deepEqual(Object.values(made).sort(), FILES.map((file) => join(dataDir, file)).sort());
    return dataDir;
}

test('the first start on a new database makes all secrets, and later starts use them', async (t) => {
    const dataDir = await usedFolder(t);
    const made = await keptSecrets({ dataDir, given: {} }, usedDatabase);
    assert.deepEqual(await keptSecrets({ dataDir, given: {} }, usedDatabase), made);
});

test('a secret that is lost is not replaced if the database has been used with it', async (t) => {
    for (const file of FILES) {
        const dataDir = await usedFolder(t);
        rmSync(join(dataDir, file));
        await assert.rejects(keptSecrets({ dataDir, given: {} }, usedDatabase), (error) => {
            assert.ok(error instanceof Problem);
            const lines = error.message.split('\n');
            assert.equal(lines.length, 2, error.message);
            assert.ok(lines[0]?.startsWith(`${join(dataDir, file)} is missing, `));
            assert.match(lines[1] ?? '', new RegExp(`If it is lost, .*openssl .* > '.*${file}'\\)$`));
            return true;
        });
        assert.equal(existsSync(join(dataDir, file)), false);
    }
});

test('a secret that the user has set is neither made nor missed', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const given = { INTERNAL_SECRET: 'x', SERVICE_TOKEN_FILE: '/x', IDEMPOTENCY_PEPPER: 'x', KEK: 'x', JWT_KEYS: 'x' };
    assert.deepEqual(await keptSecrets({ dataDir, given }, usedDatabase), {});
    assert.deepEqual(readdirSync(dataDir), []);
});

test('a start without the superuser’s password of its PostgreSQL says which file is missing', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const { stop } = await startPostgres({ dataDir, log: () => {} });
    await stop();
    rmSync(join(dataDir, 'postgres-admin-password'));
    await assert.rejects(startPostgres({ dataDir, log: () => {} }), /postgres-admin-password is missing/);
});
