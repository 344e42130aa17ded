import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import {
    CLAIM_COLUMNS,
    CLAIM_TYPES,
    claimedFromNew,
    claimedWrites,
    claimValues,
    type NewClaim,
    type Outcome,
} from '../idempotency/claims.store.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import type { CredentialStore, NewRow } from './rows.ts';

/** A row with the claim that must be made for it. */
interface ClaimedRow {
    row: NewRow;
    claim: NewClaim;
}

/** The insertions of the store. */
export function insertions(db: Database): Pick<CredentialStore, 'insert' | 'insertOnce'> {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'credentials_insert',
            bisectOn: isRefusedStatement,
            async run(rows: NewRow[]) {
                await insertGroup(db, rows);
                return rows.map(() => undefined);
            },
        }),
        insertOnce: claimedWrites({
            name: 'credentials_insert_once',
            run: (items: ClaimedRow[], group) => insertClaimed(db, items, group),
        }),
    };
}

async function insertGroup(db: Database, rows: NewRow[]): Promise<void> {
    const tuples = rows.map((row) => [
        row.id,
        row.account ?? null,
        row.issued_at,
        row.expires_at ?? null,
        row.issuer,
        row.subject,
        row.credential_type,
        row.place?.list ?? null,
        row.place?.status_index ?? null,
    ]);
    const types = ['uuid', 'uuid', 'timestamptz', 'timestamptz', 'text', 'text', 'text', 'int4', 'int4'];
    await db.prepared(
        'credentials_insert',
        sql.unsafe`
        WITH written AS (
            INSERT INTO credentials.credentials
                (id, account, issued_at, expires_at, issuer, subject, credential_type, status_list, status_index)
            SELECT * FROM ${sql.unnest(tuples, types)}
            ON CONFLICT (id) DO NOTHING
            RETURNING account
        )
        ${appendPendingCounts('credentials_issued')}`,
    );
}

/** Claims and inserts. The id and the time of a claim are those of its row. */
async function insertClaimed(db: Database, items: ClaimedRow[], group: CallLifetime): Promise<Outcome[]> {
    const [{ claim }] = items as [ClaimedRow]; // no batch is empty
    const tuples = items.map(({ row, claim }) => [
        ...claimValues(claim),
        row.account ?? null,
        row.expires_at ?? null,
        row.issuer,
        row.subject,
        row.credential_type,
        row.place?.list ?? null,
        row.place?.status_index ?? null,
    ]);
    const types = [...CLAIM_TYPES, 'uuid', 'timestamptz', 'text', 'text', 'text', 'int4', 'int4'];
    const written = await db.prepared<{ id: string }>(
        'credentials_insert_once',
        sql.unsafe`
        WITH new AS (
            SELECT * FROM ${sql.unnest(tuples, types)}
                     AS new (${CLAIM_COLUMNS}, account, expires_at, issuer, subject, credential_type, status_list, status_index)
        ), ${claimedFromNew('credentials', claim)}, written AS (
            INSERT INTO credentials.credentials
                (id, account, issued_at, expires_at, issuer, subject, credential_type, status_list, status_index)
            SELECT id, account, made_at, expires_at, issuer, subject, credential_type, status_list, status_index
            FROM new WHERE id IN (SELECT id FROM claimed)
            RETURNING id, account
        ), counted AS (${appendPendingCounts('credentials_issued')})
        SELECT id FROM written`,
        group,
    );
    const ids = new Set(written.map(({ id }) => id));
    return items.map(({ claim }) => (ids.has(claim.id) ? 'written' : 'held'));
}
