import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import type { NewRow } from '../../../services/credentials/rows.ts';
import { credentialStore } from '../../../services/credentials/store.ts';
import { didStore } from '../../../services/did/store.ts';
import type { NewClaim } from '../../../services/idempotency/claims.store.ts';
import { openedDatabase, testDatabase } from '../../support/harness.ts';

const AT = '2031-06-02T10:00:00.000Z';
const [ACCOUNT = '', OTHER = ''] = [newId(), newId()].sort(); // in the order in which their counts are read

function credential(account: string | undefined, list?: number): NewRow {
    const parties = { issuer: 'did:web:issuer.example', subject: 'did:web:subject.example', credential_type: 'T' };
    const place = list === undefined ? undefined : { list, status_index: 7 };
    return { id: newId(), account, issued_at: AT, expires_at: undefined, ...parties, place, cause: ['service'] };
}

function claimOf(scope: number, row: NewRow): NewClaim {
    const hashes = { scope_hash: Buffer.alloc(16, scope), fingerprint: Buffer.alloc(16, 1) };
    return { ...hashes, claimant: ACCOUNT, id: row.id, made_at: AT, sealed: null, stale_before: AT };
}

const [one, two, unowned, listed] = [
    credential(ACCOUNT),
    credential(OTHER),
    credential(undefined),
    credential(OTHER, 3),
];
const [claimed, held] = [credential(ACCOUNT), credential(ACCOUNT)];

/** Issues, repeats and revokes in batches. Resolves to the outcomes, and to what lies in the tables. */
async function outcomes(db: Database) {
    const { insert, insertOnce, revoke } = credentialStore(db);
    await Promise.all([one, two, unowned, listed].map((row) => insert(row)));
    await Promise.all([one, two].map((row) => insert(row))); // they exist
    const once = (row: NewRow) => insertOnce({ row, claim: claimOf(1, row) });
    const written = [await once(claimed), await once(held)];
    const revocation = { revoked_at: AT, reason: 'r', cause: ['service'] as [string] };
    const revoked = await Promise.all([one, one, listed, held].map(({ id }) => revoke({ id, ...revocation })));
    const did = didStore(db);
    const dids = (['generated', 'wallet'] as const).map((origin) => ({ did: `did:web:${origin}`, origin }));
    await Promise.all(dids.map((row) => did.insert({ ...row, account: ACCOUNT, public_key: Buffer.alloc(32) })));
    const read = (statement: ReturnType<typeof sql.unsafe>) => db.rows(statement);
    return {
        written,
        revoked,
        rows: await read(sql.unsafe`SELECT * FROM credentials.credentials ORDER BY id`),
        claims: await read(sql.unsafe`SELECT scope_hash, id FROM credentials.idempotency`),
        counts: await read(sql.unsafe`
            SELECT account, kind, sum(amount) AS amount FROM credentials.deltas GROUP BY 1, 2 ORDER BY 2, 1 NULLS LAST`),
        issued: await read(sql.unsafe`
            SELECT event->>0 AS id, causes::jsonb->'sources'->(event->>1)::int AS source
            FROM credentials.outbox, jsonb_array_elements(causes::jsonb->'events') AS event
            WHERE type = 'credential.issued' AND (data = '"all"' OR data @> to_jsonb(event->>0)) ORDER BY 1`),
        revocations: await read(sql.unsafe`
            SELECT event->>'account' AS account, event->>'credential_id' AS id, event->>'issuer_did' AS issuer
            FROM credentials.outbox, jsonb_array_elements(data) AS event WHERE type = 'credential.revoked' ORDER BY 2`),
        changes: await read(sql.unsafe`SELECT list FROM credentials.status_changes`),
        dids: await read(sql.unsafe`SELECT account, kind, amount FROM did.deltas`),
    };
}

test('a batch leaves the same rows, counts and events in several statements, for a Citus, as in one', async () => {
    const together = await outcomes((await testDatabase()).db);
    const apart = await outcomes(await openedDatabase((await testDatabase()).url, true));
    assert.deepEqual(apart, together);
    assert.deepEqual(apart.written, ['written', 'held']);
    assert.deepEqual(apart.revoked, [true, false, true, false]);
    const { rows, issued, revocations, dids } = apart;
    assert.deepEqual(
        [rows, issued, revocations, dids].map(({ length }) => length),
        [5, 4, 2, 1],
    );
    const [ofAccount, ofOther] = [ACCOUNT, OTHER].map((account) => ({
        account,
        kind: 'credentials_issued',
        amount: '2',
    }));
    const ofNobody = { account: null, kind: 'credentials_issued', amount: '1' };
    assert.deepEqual(apart.counts.slice(0, 3), [ofAccount, ofOther, ofNobody]);
    assert.deepEqual(apart.changes, [{ list: 3 }]);
});
