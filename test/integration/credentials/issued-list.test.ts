import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../platform/postgres/db.ts';
import { refuses, requestBy, startIssuing } from './credentials.fixture.ts';

const { db, credentials, issuer } = await startIssuing();

test('the list of issued credentials shows what is recorded of each, and does not go on after one that is gone', async () => {
    const { context } = issuer;
    const kept = await credentials.issue(requestBy(issuer), context);
    const { credential_id } = await credentials.issue(requestBy(issuer), context);
    await credentials.revoke({ credential_id, issuer_did: issuer.did, reason: 'left' }, context);
    const { credentials: rows } = await credentials.listIssued({ limit: 10 }, context);
    const { credential: _, status: __, ...recorded } = kept;
    const shown = new Map(rows.map((row) => [row.credential_id, row]));
    assert.deepEqual(shown.get(kept.credential_id), {
        ...recorded,
        revoked: false,
        revoked_at: undefined,
        reason: undefined,
    });
    const { revoked, revoked_at, reason } = shown.get(credential_id) ?? assert.fail();
    assert.deepEqual([revoked, typeof revoked_at, reason], [true, 'string', 'left']);

    const { credentials: first, next_cursor: cursor } = await credentials.listIssued({ limit: 1 }, context);
    await db.rows(sql.unsafe`
            UPDATE credentials.credentials SET account = NULL
            WHERE 'urn:uuid:' || id = ${first[0]?.credential_id ?? ''}`);
    await refuses('invalid', credentials.listIssued({ limit: 1, cursor }, context));
});
