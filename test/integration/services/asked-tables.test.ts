import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { askedTable } from '../../../services/table-uses.ts';
import { testDatabase } from '../../support/harness.ts';

test('each role has a table that answers for its schema', async () => {
    const { db } = await testDatabase();
    for (const role of SERVICE_ROLES) await db.ping(askedTable(role));
    await assert.rejects(db.ping(['credentials', 'no_such_table']));
});
