import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import { changeRows } from '../../platform/postgres/append.store.ts';
import { type Database, isDeadlock, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { credentialId } from '../../tokens/credential-id.ts';
import { ERASED_SUBJECT } from '../counts/erased-subject.ts';
import { appendPendingCounts } from '../counts/pending.store.ts';
import { writes } from '../idempotency/writes.store.ts';
import { appendEvents, appendIssuedEvents } from '../outbox/outbox.store.ts';
import { pageStore } from './pages.store.ts';
import { type CredentialStore, foundRow, type NewRevocation, type NewRow } from './rows.ts';

/** Publishes the credentials of the CTE `written`, which are some of these. */
function issued(rows: readonly NewRow[]) {
    const events = rows.flatMap(({ id, account, issuer, cause }) =>
        account === undefined ? [] : [{ id, account, cause, issuer_did: issuer }],
    );
    return appendIssuedEvents(events);
}

/** Publishes the revocations of the credentials of the CTE `written`, whose accounts and issuers it has. */
function revoked(revocations: readonly NewRevocation[]) {
    return appendEvents('credentials', 'credential.revoked', {
        data: sql.fragment`'credential_id', 'urn:uuid:' || id, 'issuer_did', issuer`,
        causes: Object.fromEntries(revocations.map(({ id, cause }) => [credentialId(id), cause])),
    });
}

const revokedRow = z.strictObject({
    id: z.string(),
    account: z.string().nullable(),
    issuer: z.string(),
    status_list: z.number().nullable(),
});

export function credentialStore(db: Database): CredentialStore {
    return {
        ...writes<NewRow>(db, {
            name: 'credentials',
            table: ['credentials', 'credentials'],
            columns: {
                id: { type: 'uuid', value: ({ id }) => id, claim: 'id', isRead: true },
                account: { type: 'uuid', value: ({ account }) => account, isRead: true },
                issued_at: { type: 'timestamptz', value: ({ issued_at }) => issued_at, claim: 'made_at' },
                expires_at: { type: 'timestamptz', value: ({ expires_at }) => expires_at },
                issuer: { type: 'text', value: ({ issuer }) => issuer, isRead: true },
                subject: { type: 'text', value: ({ subject }) => subject },
                credential_type: { type: 'text', value: ({ credential_type }) => credential_type },
                status_list: { type: 'int4', value: ({ place }) => place?.list },
                status_index: { type: 'int4', value: ({ place }) => place?.status_index },
            },
            key: 'id',
            counts: appendPendingCounts('credentials_issued'),
            events: issued,
        }),
        find: rowLookup(db, {
            name: 'credentials_find',
            statement: 'credentials_find',
            keyOf: ({ id }) => id,
            query: (ids: string[]) => sql.type(foundRow)`
                SELECT id, account, issuer, revoked_at, revocation_reason FROM credentials.credentials
                WHERE id = ANY(${sql.array(ids, 'uuid')})`,
        }),
        revoke: coalesce({
            ...STORE_GROUPS,
            name: 'credentials_revoke',
            bisectOn: (error) => isRefusedStatement(error) || isDeadlock(error),
            run: (revocations: NewRevocation[]) => revokeGroup(db, revocations),
        }),
        ...pageStore(db),
        ping: () => db.ping(),
    };
}

/**
 * Revokes what is not revoked yet. PostgreSQL finds the rows in the order of their ids, or all in that of a small table,
 * so two groups with the same rows do not deadlock. If they do, because their plans differ, one of them is repeated. If
 * a group revokes a credential several times, its first item does. The reason is not kept if the subject is erased,
 * because the reason may be about the person. The status lists of the credentials are noted, so that they are published
 * anew.
 */
async function revokeGroup(db: Database, revocations: NewRevocation[]): Promise<boolean[]> {
    const firsts = new Map<string, NewRevocation>();
    for (const revocation of revocations) if (!firsts.has(revocation.id)) firsts.set(revocation.id, revocation);
    const inOrder = [...firsts.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    const tuples = inOrder.map(({ id, revoked_at, reason }) => [id, revoked_at, reason ?? null]);
    const changed = await changeRows(db, {
        name: 'credentials_revoke',
        change: sql.fragment`
            UPDATE credentials.credentials SET revoked_at = asked.since,
                revocation_reason = CASE WHEN subject <> ${ERASED_SUBJECT} THEN asked.reason END
            FROM ${sql.unnest(tuples, ['uuid', 'timestamptz', 'text'])} AS asked (credential, since, reason)
            WHERE id = asked.credential AND revoked_at IS NULL
            RETURNING id, account, issuer, status_list`,
        row: revokedRow,
        columns: { id: 'uuid', account: 'uuid', issuer: 'text', status_list: 'int4' },
        appended: [
            appendPendingCounts('credentials_revoked'),
            revoked(inOrder),
            sql.fragment`
                INSERT INTO credentials.status_changes (list)
                SELECT DISTINCT status_list FROM written WHERE status_list IS NOT NULL`,
        ],
    });
    const ids = new Set(changed.map(({ id }) => id));
    return revocations.map((revocation) => ids.has(revocation.id) && firsts.get(revocation.id) === revocation);
}
