import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { sql } from '../../../platform/postgres/db.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();
const row = z.strictObject({ id: z.string(), amount: z.number().nullable() });

test('a test gets rows that match the schema of their statement', async () => {
    const statement = sql.type(row)`SELECT * FROM (VALUES ('a', 1::bigint), ('b', NULL)) AS rows (id, amount)`;
    const rows = [
        { id: 'a', amount: 1 },
        { id: 'b', amount: null },
    ];
    assert.deepEqual(await db.rows(statement), rows);
    assert.deepEqual(await db.prepared('row_check', statement), rows);
    assert.deepEqual(await db.transaction((transaction) => transaction.rows(statement)), rows);
});

for (const [fault, columns] of Object.entries({
    'a column of another type': sql.fragment`'a' AS id, 'one' AS amount`,
    'NULL that the schema does not allow': sql.fragment`NULL AS id, 1 AS amount`,
    'a column too few': sql.fragment`'a' AS id`,
    'a column too many': sql.fragment`'a' AS id, 1 AS amount, 2 AS more`,
})) {
    test(`a test fails on a row with ${fault}`, async () => {
        const statement = sql.type(row)`SELECT ${columns}`;
        for (const run of [
            () => db.rows(statement),
            () => db.prepared(`row_check_${fault}`, statement),
            () => db.transaction((transaction) => transaction.rows(statement)),
        ])
            await assert.rejects(run, /A row differs from its schema/);
    });
}
