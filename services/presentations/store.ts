import { type Coalescer, coalesce } from '../../platform/batch.ts';
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

export interface PresentationRow {
    /** UUID */
    id: string;
    account: string | undefined;
    created_at: string;
    credentials_count: number;
    holder: string;
    audience: string;
}

export interface PresentationStore {
    /** Inserts the row unless one with this id exists. */
    insert: Coalescer<PresentationRow, void>;
    /** Claims an Idempotency-Key and inserts the row, unless an earlier call holds the claim. */
    insertOnce: Coalescer<ClaimedRow, Outcome>;
}

/** A row with the claim that must be made for it. */
interface ClaimedRow {
    row: PresentationRow;
    claim: NewClaim;
}

export function presentationStore(db: Database): PresentationStore {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'presentation_insert',
            bisectOn: isRefusedStatement,
            async run(rows: PresentationRow[], group) {
                await insertGroup(db, rows, group);
                return rows.map(() => undefined);
            },
        }),
        insertOnce: claimedWrites({
            name: 'presentation_insert_once',
            run: (items: ClaimedRow[], group) => insertClaimed(db, items, group),
        }),
    };
}

async function insertGroup(db: Database, rows: PresentationRow[], group: CallLifetime): Promise<void> {
    const tuples = rows.map((row) => [
        row.id,
        row.account ?? null,
        row.created_at,
        row.credentials_count,
        row.holder,
        row.audience,
    ]);
    const types = ['uuid', 'uuid', 'timestamptz', 'int2', 'text', 'text'];
    await db.prepared(
        'presentations_insert',
        sql.unsafe`
        WITH written AS (
            INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience)
            SELECT * FROM ${sql.unnest(tuples, types)}
            ON CONFLICT (id) DO NOTHING
            RETURNING account
        )
        ${appendPendingCounts('presentations_created')}`,
        group,
    );
}

/** Claims and inserts. The id and the time of a claim are those of its row. */
async function insertClaimed(db: Database, items: ClaimedRow[], group: CallLifetime): Promise<Outcome[]> {
    const [{ claim }] = items as [ClaimedRow]; // no batch is empty
    const tuples = items.map(({ row, claim }) => [
        ...claimValues(claim),
        row.account ?? null,
        row.credentials_count,
        row.holder,
        row.audience,
    ]);
    const types = [...CLAIM_TYPES, 'uuid', 'int2', 'text', 'text'];
    const written = await db.prepared<{ id: string }>(
        'presentations_insert_once',
        sql.unsafe`
        WITH new AS (
            SELECT * FROM ${sql.unnest(tuples, types)}
                     AS new (${CLAIM_COLUMNS}, account, credentials_count, holder, audience)
        ), ${claimedFromNew('presentations', claim)}, written AS (
            INSERT INTO presentations.presentations (id, account, created_at, credentials_count, holder, audience)
            SELECT id, account, made_at, credentials_count, holder, audience
            FROM new WHERE id IN (SELECT id FROM claimed)
            RETURNING id, account
        ), counted AS (${appendPendingCounts('presentations_created')})
        SELECT id FROM written`,
        group,
    );
    const ids = new Set(written.map(({ id }) => id));
    return items.map(({ claim }) => (ids.has(claim.id) ? 'written' : 'held'));
}
