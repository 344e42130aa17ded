import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { claimedWrites, type NewClaim, type Outcome } from '../idempotency/claims.store.ts';
import { insertGroup } from './insert.store.ts';
import { type ClaimedRow, insertClaimed } from './insert-once.store.ts';
import type { DidRow } from './rows.ts';

interface OwnershipQuery {
    account: string;
    dids: readonly string[];
}

export interface DidStore {
    /** Inserts the row unless the DID exists. Resolves to false, and writes nothing, if the quota is used up. */
    insert: Coalescer<DidRow, boolean>;
    /** Like `insert`, and claims an Idempotency-Key unless an earlier call holds the claim. */
    insertOnce: Coalescer<ClaimedRow, Outcome>;
    /** Counts the DIDs that the account has generated and registered. */
    count(account: string, lifetime?: CallLifetime): Promise<number>;
    find: Coalescer<string, { public_key: Uint8Array } | undefined>;
    /** Returns those of `dids` that the account owns. */
    filterOwned: Coalescer<OwnershipQuery, string[]>;
}

/**
 * Maximum number of DIDs in the queries of one batch. A single query that has more is a batch of its own. Beyond it:
 * the rest goes with the next batch.
 */
const DIDS_OF_A_GROUP = 1_000;

export function didStore(db: Database): DidStore {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'did_insert',
            bisectOn: isRefusedStatement,
            run: (rows: DidRow[], group) => insertGroup(db, rows, group),
        }),
        insertOnce: claimedWrites({
            name: 'did_insert_once',
            run: (items: ClaimedRow[], group) => insertClaimed(db, items, group),
        }),
        async count(account, lifetime) {
            const statement = sql.unsafe`SELECT sum(dids)::bigint AS dids FROM did.accounts WHERE account = ${account}`;
            const [row] = await db.rows<{ dids: number | null }>(statement, 'did_count', lifetime);
            return row?.dids ?? 0;
        },
        find: rowLookup<string, { did: string; public_key: Buffer }>(db, {
            name: 'did_find',
            statement: 'dids_find',
            keyOf: ({ did }) => did,
            query: (dids) => sql.unsafe`
                SELECT did, public_key FROM did.dids WHERE did = ANY(${sql.array(dids, 'text')})`,
        }),
        filterOwned: coalesce({
            ...STORE_GROUPS,
            name: 'did_filter_owned',
            weight: { of: ({ dids }: OwnershipQuery) => dids.length, max: DIDS_OF_A_GROUP },
            run: (queries: OwnershipQuery[], group) => filterGroup(db, queries, group),
        }),
    };
}

/** Inserts a DID, with the claim of an Idempotency-Key if there is one. */
export async function insertDid(
    store: DidStore,
    { row, claim }: { row: DidRow; claim: NewClaim | undefined },
    lifetime: CallLifetime,
): Promise<Outcome> {
    if (claim) return store.insertOnce({ row, claim }, lifetime);
    return (await store.insert(row, lifetime)) ? 'written' : 'refused';
}

async function filterGroup(db: Database, queries: OwnershipQuery[], group: CallLifetime): Promise<string[][]> {
    const dids = queries.flatMap((query) => query.dids);
    const rows = await db.prepared<{ did: string; account: string | null }>(
        'dids_owners',
        sql.unsafe`
        SELECT did, account FROM did.dids
        WHERE did = ANY(${sql.array(dids, 'text')}) AND origin IN ('generated', 'wallet')`,
        group,
    );
    const owners = new Map(rows.map((row) => [row.did, row.account]));
    return queries.map(({ account, dids }) => dids.filter((did) => owners.get(did) === account));
}
