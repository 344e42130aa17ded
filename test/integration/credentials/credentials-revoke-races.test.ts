import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { type Database, isDeadlock, sql } from '../../../platform/postgres/db.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { OWN_CAUSE } from '../../../services/outbox/cause.ts';
import { testDatabase } from '../../support/harness.ts';

const { db } = await testDatabase();
// So many that PostgreSQL finds the rows of a batch by their ids. A small table it reads in its own order.
await db.rows(sql.unsafe`
    INSERT INTO credentials.credentials (id, account, issued_at, issuer, subject, credential_type)
    SELECT gen_random_uuid(), gen_random_uuid(), now(), 'did:key:a', 'did:key:b', 'T' FROM generate_series(1, 5000)`);
await db.rows(sql.unsafe`ANALYZE credentials.credentials`);

/** Inserts as many credentials, and returns their ids. */
async function issued(count: number): Promise<string[]> {
    const now = new Date().toISOString();
    const row = { account: newId(), issued_at: now, issuer: 'did:key:a', subject: 'did:key:b', credential_type: 'T' };
    const ids = Array.from({ length: count }, () => newId());
    await Promise.all(
        ids.map((id) => credentialStore(db).insert({ ...row, id, expires_at: undefined, cause: OWN_CAUSE })),
    );
    return ids;
}

test('two processes that revoke the same credentials in opposite orders revoke each of them once', async () => {
    const deadlocks: unknown[] = [];
    const watched: Database = {
        ...db,
        prepared: (name, query) =>
            db.prepared(name, query).catch((error: unknown) => {
                if (isDeadlock(error)) deadlocks.push(error);
                throw error;
            }) as never, // resolves to the same rows
    };
    const stores = [credentialStore(watched), credentialStore(watched)];
    for (let round = 0; round < 30; round++) {
        const ids = await issued(64);
        const revocation = { revoked_at: new Date().toISOString(), reason: undefined, cause: OWN_CAUSE };
        const batches = [ids, ids.toReversed()].map((batch, index) =>
            Promise.all(batch.map((id) => stores[index]?.revoke({ id, ...revocation }))),
        );
        const [ones, others] = await Promise.all(batches);
        assert.equal([...(ones ?? []), ...(others ?? [])].filter(Boolean).length, 64);
    }
    assert.deepEqual(deadlocks, []);
});
