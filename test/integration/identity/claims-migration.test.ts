import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();
const MIGRATION = readFileSync('services/identity/migrations/003_idempotency_passwords.sql', 'utf8');

test('the migration leaves no claim whose fingerprint contains a password', async () => {
    await db.rows(sql.unsafe`
        INSERT INTO identity.idempotency (scope_hash, fingerprint, id, made_at)
        VALUES ('\\x01', '\\x02', gen_random_uuid(), now())`);
    await db.rows({ ...sql.unsafe`SELECT 1`, sql: MIGRATION });
    assert.deepEqual(await db.rows(sql.unsafe`SELECT * FROM identity.idempotency`), []);
});
