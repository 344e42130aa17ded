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
import type { DidRow } from './rows.ts';

/** A row with the claim that must be made for it. */
interface ClaimedRow {
    row: DidRow;
    claim: NewClaim;
}

export interface DidInsertions {
    /** Inserts the row unless the DID exists. */
    insert: Coalescer<DidRow, void>;
    /** Like `insert`, and claims an Idempotency-Key unless an earlier call holds the claim. */
    insertOnce: Coalescer<ClaimedRow, Outcome>;
}

/** The insertions of the store. They write in the order of the DIDs, so that two with the same DIDs do not deadlock. */
export function insertions(db: Database): DidInsertions {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'did_insert',
            bisectOn: isRefusedStatement,
            async run(rows: DidRow[], group) {
                await insertGroup(db, rows, group);
                return rows.map(() => undefined);
            },
        }),
        insertOnce: claimedWrites({
            name: 'did_insert_once',
            run: (items: ClaimedRow[], group) => insertClaimed(db, items, group),
        }),
    };
}

const ROW_TYPES = ['text', 'bytea', 'uuid', 'text'];

async function insertGroup(db: Database, rows: DidRow[], group: CallLifetime): Promise<void> {
    await db.prepared(
        'dids_insert',
        sql.unsafe`
        WITH new AS (
            SELECT * FROM ${sql.unnest(rows.map(columnsOf), ROW_TYPES)} AS rows (did, public_key, account, origin)
        ), ${written(sql.fragment`true`)}
        ${appendPendingCounts('dids_created')}`,
        group,
    );
}

async function insertClaimed(db: Database, items: ClaimedRow[], group: CallLifetime): Promise<Outcome[]> {
    const [{ claim }] = items as [ClaimedRow]; // no batch is empty
    const tuples = items.map(({ row, claim }) => [...claimValues(claim), ...columnsOf(row)]);
    const claimed = await db.prepared<{ id: string }>(
        'dids_insert_once',
        sql.unsafe`
        WITH new AS (
            SELECT * FROM ${sql.unnest(tuples, [...CLAIM_TYPES, ...ROW_TYPES])}
                     AS rows (${CLAIM_COLUMNS}, did, public_key, account, origin)
        ), ${claimedFromNew('did', claim)}, ${written(sql.fragment`id IN (SELECT id FROM claimed)`)},
        counted AS (${appendPendingCounts('dids_created')})
        SELECT id FROM claimed`,
        group,
    );
    const ids = new Set(claimed.map(({ id }) => id));
    return items.map(({ claim: { id } }) => (ids.has(id) ? 'written' : 'held'));
}

/** The values of a row for the columns of did.dids. */
function columnsOf({ did, public_key, account, origin }: DidRow) {
    return [did, Buffer.from(public_key), account ?? null, origin];
}

/** Writes the rows of `new` that meet the condition. A DID that exists stays as it is. */
function written(condition: ReturnType<typeof sql.fragment>) {
    return sql.fragment`inserted AS (
            INSERT INTO did.dids (did, public_key, account, origin, created_at)
            SELECT did, public_key, account, origin, now() FROM new WHERE ${condition} ORDER BY did
            ON CONFLICT (did) DO NOTHING
            RETURNING account, origin
        ), written AS (
            SELECT account FROM inserted WHERE origin <> 'wallet' -- the wallet is counted instead
        )`;
}
