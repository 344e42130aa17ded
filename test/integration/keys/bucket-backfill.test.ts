import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { sql } from '../../../platform/postgres/db.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();
const MIGRATION = readFileSync('services/keys/migrations/010_bucket_backfill.sql', 'utf8');

test('the migration gives all keys of a chain the bucket of its first key, and leaves the others', async () => {
    const [first = '', second = '', third = '', alone = ''] = Array.from({ length: 4 }, () => newId()).sort();
    for (const [key, successor] of [
        [first, second],
        [second, third],
        [third, null],
        [alone, null],
    ] as const) {
        await db.rows(sql.unsafe`
            INSERT INTO keys.keys (key_id, account, hash, mask, name, tier, created_at, updated_at, replaced_by)
            VALUES (${key}, ${first}, ${`\\x${key.replaceAll('-', '')}`}, 'm', 'n', 'free', now(), now(), ${successor})`);
    }
    await db.rows({ ...sql.unsafe`SELECT 1`, sql: MIGRATION });
    const rows = await db.rows(sql.unsafe`SELECT key_id, bucket FROM keys.keys ORDER BY key_id`);
    assert.deepEqual(rows, [
        { key_id: first, bucket: null },
        { key_id: second, bucket: first },
        { key_id: third, bucket: first },
        { key_id: alone, bucket: null },
    ]);
});
