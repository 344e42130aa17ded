import { type Coalescer, coalesce } from '../../platform/batch.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/db.ts';
import type { Traced } from '../../platform/tracing.ts';
import { appendDeltas } from '../deltas.store.ts';

export interface DidRow {
    did: string;
    public_key: Uint8Array;
    account: string | undefined;
    origin: 'generated' | 'wallet' | 'registered';
}

interface OwnershipQuery {
    account: string;
    dids: readonly string[];
}

export interface DidStore {
    /** Writes the row where there is none for this DID. */
    insert: Coalescer<DidRow, void>;
    find: Coalescer<string, { public_key: Uint8Array } | undefined>;
    /** Those of `dids` that the account owns. */
    filterOwned: Coalescer<OwnershipQuery, string[]>;
    /** Up to `limit` DIDs that the account owns, in the order of their text, from above `after`. */
    listOwned(range: { account: string; after: string | undefined; limit: number }, traced?: Traced): Promise<string[]>;
}

/** DIDs that the queries of one group may hold together; a query that alone has more goes alone. */
const DIDS_OF_A_GROUP = 1_000;

export function didStore(db: Database): DidStore {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'did_insert',
            halve_on: isRefusedStatement,
            async run(rows: DidRow[]) {
                await insertGroup(db, rows);
                return rows.map(() => undefined);
            },
        }),
        find: coalesce({ ...STORE_GROUPS, name: 'did_find', run: (dids: string[]) => findGroup(db, dids) }),
        filterOwned: coalesce({
            ...STORE_GROUPS,
            name: 'did_filter_owned',
            weight: { of: ({ dids }: OwnershipQuery) => dids.length, max: DIDS_OF_A_GROUP },
            run: (queries: OwnershipQuery[]) => filterGroup(db, queries),
        }),
        async listOwned({ account, after, limit }, traced) {
            const statement = sql.unsafe`
                SELECT did FROM did.dids
                WHERE account = ${account} AND did > ${after ?? ''} AND origin IN ('generated', 'wallet')
                ORDER BY did LIMIT ${limit}`;
            const rows = await db.prepared<{ did: string }>('dids_owned', statement, traced);
            return rows.map(({ did }) => did);
        },
    };
}

async function insertGroup(db: Database, rows: DidRow[]): Promise<void> {
    // In one order everywhere: two processes that insert the same DIDs must not wait for each other.
    const sorted = rows.toSorted((one, other) => (one.did < other.did ? -1 : 1));
    const tuples = sorted.map((row) => [row.did, Buffer.from(row.public_key), row.account ?? null, row.origin]);
    await db.prepared(
        'dids_insert',
        sql.unsafe`
        WITH inserted AS (
            INSERT INTO did.dids (did, public_key, account, origin, created_at)
            SELECT *, now() FROM ${sql.unnest(tuples, ['text', 'bytea', 'uuid', 'text'])}
            ON CONFLICT (did) DO NOTHING
            RETURNING account, origin
        ), written AS (
            SELECT account FROM inserted WHERE origin <> 'wallet' -- the wallet is what is counted
        )
        ${appendDeltas('dids_created')}`,
    );
}

async function findGroup(db: Database, dids: string[]) {
    const rows = await db.prepared<{ did: string; public_key: Buffer }>(
        'dids_find',
        sql.unsafe`
        SELECT did, public_key FROM did.dids WHERE did = ANY(${sql.array(dids, 'text')})`,
    );
    const found = new Map(rows.map((row) => [row.did, row]));
    return dids.map((did) => found.get(did));
}

async function filterGroup(db: Database, queries: OwnershipQuery[]): Promise<string[][]> {
    const dids = queries.flatMap((query) => query.dids);
    const rows = await db.prepared<{ did: string; account: string | null }>(
        'dids_owners',
        sql.unsafe`
        SELECT did, account FROM did.dids
        WHERE did = ANY(${sql.array(dids, 'text')}) AND origin IN ('generated', 'wallet')`,
    );
    const owners = new Map(rows.map((row) => [row.did, row.account]));
    return queries.map(({ account, dids }) => dids.filter((did) => owners.get(did) === account));
}
