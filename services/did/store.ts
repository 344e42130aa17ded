import { type Coalescer, coalesce } from '../../platform/batch.ts';
import { type Cache, createCache } from '../../platform/cache.ts';
import type { Patience } from '../../platform/context.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/db.ts';
import type { Traced } from '../../platform/tracing.ts';
import { appendDeltas } from '../deltas.store.ts';

export interface DidRow {
    did: string;
    public_key: Uint8Array;
    account: string | undefined;
    origin: 'generated' | 'wallet' | 'registered';
    /** How many DIDs the account may have; those of wallets are bounded by their number. */
    quota?: number;
}

interface OwnershipQuery {
    account: string;
    dids: readonly string[];
}

export interface DidStore {
    /** Writes the row where there is none for this DID; false, and nothing is written, where the quota is used up. */
    insert: Coalescer<DidRow, boolean>;
    /** How many DIDs the account has created and registered. */
    count(account: string, traced?: Traced): Promise<number>;
    find: Coalescer<string, { public_key: Uint8Array } | undefined>;
    /** Those of `dids` that the account owns. */
    filterOwned: Coalescer<OwnershipQuery, string[]>;
    /** Up to `limit` DIDs that the account owns, in the order of their text, from above `after`. */
    listOwned(range: { account: string; after: string | undefined; limit: number }, traced?: Traced): Promise<string[]>;
}

/** DIDs that the queries of one group may hold together; a query that alone has more goes alone. */
const DIDS_OF_A_GROUP = 1_000;

/** Accounts that are known to have a row of counts. */
const KNOWN_ACCOUNTS = 10_000;

export function didStore(db: Database): DidStore {
    const known = createCache<string, true>(KNOWN_ACCOUNTS);
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'did_insert',
            halve_on: isRefusedStatement,
            async run(rows: DidRow[], group) {
                await ensureCounts(db, rows, known, group);
                return insertGroup(db, rows, group);
            },
        }),
        async count(account, traced) {
            const statement = sql.unsafe`SELECT dids FROM did.accounts WHERE account = ${account}`;
            const [row] = await db.rows<{ dids: number }>(statement, 'did_count', traced);
            return row?.dids ?? 0;
        },
        find: coalesce({
            ...STORE_GROUPS,
            name: 'did_find',
            run: (dids: string[], group) => findGroup(db, dids, group),
        }),
        filterOwned: coalesce({
            ...STORE_GROUPS,
            name: 'did_filter_owned',
            weight: { of: ({ dids }: OwnershipQuery) => dids.length, max: DIDS_OF_A_GROUP },
            run: (queries: OwnershipQuery[], group) => filterGroup(db, queries, group),
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

/** Makes sure that each account has a row of counts, on which concurrent groups can wait for each other. */
async function ensureCounts(db: Database, rows: DidRow[], known: Cache<string, true>, group: Patience): Promise<void> {
    const accounts = countedAccounts(rows).filter((account) => !known.get(account));
    if (accounts.length === 0) return;
    await db.prepared(
        'did_accounts_insert',
        sql.unsafe`
        INSERT INTO did.accounts (account) SELECT * FROM unnest(${sql.array(accounts, 'uuid')}) ON CONFLICT DO NOTHING`,
        group,
    );
    for (const account of accounts) known.set(account, true);
}

/** In one order everywhere, like the DIDs below: two processes must not wait for each other. */
function countedAccounts(rows: DidRow[]): string[] {
    const counted = rows.flatMap(({ account, origin }) =>
        account === undefined || origin === 'wallet' ? [] : account,
    );
    return [...new Set(counted)].sort();
}

/**
 * The group takes its accounts' rows of counts, so it sees what the groups before it have written, and lets pass as many new
 * DIDs of each account as its quota leaves. The trigger on did.dids counts them.
 */
async function insertGroup(db: Database, rows: DidRow[], group: Patience): Promise<boolean[]> {
    const tuples = rows
        .map(({ did, public_key, account, origin, quota }, place) => [
            place,
            did,
            Buffer.from(public_key),
            account ?? null,
            origin,
            quota ?? null,
        ])
        .sort(([, one], [, other]) => (String(one) < String(other) ? -1 : 1));
    const refused = await db.prepared<{ place: number }>(
        'dids_insert',
        sql.unsafe`
        WITH new AS MATERIALIZED (
            SELECT * FROM ${sql.unnest(tuples, ['int4', 'text', 'bytea', 'uuid', 'text', 'int8'])}
                     AS new (place, did, public_key, account, origin, quota)
        ), counts AS MATERIALIZED (
            SELECT account, dids FROM did.accounts
            WHERE account = ANY(${sql.array(countedAccounts(rows), 'uuid')}) ORDER BY account FOR UPDATE
        ), numbered AS (
            SELECT place, quota, dids + row_number() OVER (PARTITION BY account ORDER BY place) AS nth
            FROM new JOIN counts USING (account)
            WHERE origin <> 'wallet' AND NOT EXISTS (SELECT FROM did.dids AS known WHERE known.did = new.did)
        ), refused AS MATERIALIZED (
            SELECT place FROM numbered WHERE nth > quota
        ), inserted AS (
            INSERT INTO did.dids (did, public_key, account, origin, created_at)
            SELECT did, public_key, account, origin, now() FROM new WHERE place NOT IN (SELECT place FROM refused)
            ON CONFLICT (did) DO NOTHING
            RETURNING account, origin
        ), written AS (
            SELECT account FROM inserted WHERE origin <> 'wallet' -- the wallet is what is counted
        ), counted AS (${appendDeltas('dids_created')})
        SELECT place FROM refused`,
        group,
    );
    const places = new Set(refused.map(({ place }) => place));
    return rows.map((_, place) => !places.has(place));
}

async function findGroup(db: Database, dids: string[], group: Patience) {
    const rows = await db.prepared<{ did: string; public_key: Buffer }>(
        'dids_find',
        sql.unsafe`
        SELECT did, public_key FROM did.dids WHERE did = ANY(${sql.array(dids, 'text')})`,
        group,
    );
    const found = new Map(rows.map((row) => [row.did, row]));
    return dids.map((did) => found.get(did));
}

async function filterGroup(db: Database, queries: OwnershipQuery[], group: Patience): Promise<string[][]> {
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
