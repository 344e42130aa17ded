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

export interface DidStore {
    /** Writes the row where there is none for this DID. */
    insert: Coalescer<DidRow, void>;
    find: Coalescer<string, { public_key: Uint8Array } | undefined>;
    /** Those of `dids` that the account owns. */
    filterOwned(account: string, dids: readonly string[], traced?: Traced): Promise<string[]>;
}

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
        async filterOwned(account, dids, traced) {
            const statement = sql.unsafe`
                SELECT did FROM did.dids
                WHERE did = ANY(${sql.array(dids, 'text')}) AND account = ${account} AND origin IN ('generated', 'wallet')`;
            const rows = await db.rows<{ did: string }>(statement, 'did_filter_owned', traced);
            return rows.map((row) => row.did);
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
