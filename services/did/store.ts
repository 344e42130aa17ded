import { type Coalescer, coalesce } from '../../platform/batch.ts';
import type { Patience } from '../../platform/context.ts';
import { type Database, isRefusedStatement, type Queries, STORE_GROUPS, sql } from '../../platform/db.ts';
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

/** More DIDs than all groups of an account that may be on their way at once in sixteen processes. */
const QUOTA_MARGIN = 2_048;

/** The first of the two keys of the advisory locks by account, which other uses of such locks in the database do not have. */
const LOCK_SPACE = 0x646964; // "did"

export function didStore(db: Database): DidStore {
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'did_insert',
            halve_on: isRefusedStatement,
            run: (rows: DidRow[], group) => insertGroup(db, rows, group),
        }),
        async count(account, traced) {
            const statement = sql.unsafe`SELECT sum(dids)::bigint AS dids FROM did.accounts WHERE account = ${account}`;
            const [row] = await db.rows<{ dids: number | null }>(statement, 'did_count', traced);
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

/**
 * Writes the rows that are far from their account's quota in one statement, without waiting for other groups of the account.
 * Rows that are near it go alone: their statement sees what all groups before it have written. Whether each row was written.
 */
async function insertGroup(db: Database, rows: DidRow[], group: Patience): Promise<boolean[]> {
    const near = await db.prepared<{ place: number }>('dids_insert', insertion(rows, FAR), group);
    const written = rows.map(() => true);
    if (near.length === 0) return written;
    const places = near.map(({ place }) => place).sort((one, other) => one - other);
    const left = places.map((place) => rows[place] as DidRow); // a place of `rows`
    const refused = await db.transaction(
        async (queries) => {
            await lockAlone(queries, left);
            return queries.rows<{ place: number }>(insertion(left, NEAR));
        },
        'dids_insert_near_quota',
        group,
    );
    for (const { place } of refused) written[places[place] as number] = false; // a place of `left`
    return written;
}

/** Waits until no other statement writes DIDs of these accounts, and keeps others from it until the transaction ends. */
async function lockAlone(queries: Queries, rows: DidRow[]): Promise<void> {
    await queries.rows(sql.unsafe`
        SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(account::text))
        FROM unnest(${sql.array(countedAccounts(rows), 'uuid')}) AS counted (account)`);
}

/** In one order everywhere, like the DIDs below: two processes must not wait for each other. */
function countedAccounts(rows: DidRow[]): string[] {
    const counted = rows.flatMap(({ account, origin }) =>
        account === undefined || origin === 'wallet' ? [] : account,
    );
    return [...new Set(counted)].sort();
}

/** DIDs that must be left of a quota, and how a new DID is told from one that is known and needs no place. */
interface Distance {
    margin: number;
    isNew: ReturnType<typeof sql.fragment>;
}
/** Known ones count as new. Looking for them would read the whole table by a plan that was made while it was empty. */
const FAR: Distance = { margin: QUOTA_MARGIN, isNew: sql.fragment`true` };
const NEAR: Distance = {
    margin: 0,
    isNew: sql.fragment`NOT EXISTS (SELECT FROM did.dids AS known WHERE known.did = new.did)`,
};

/**
 * Writes the rows after which at least `margin` DIDs of their account's quota are left; gives the places of the others, and of
 * those whose account is locked by lockAlone(). The trigger on did.dids counts what is written.
 */
function insertion(rows: DidRow[], { margin, isNew }: Distance) {
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
    const accounts = sql.array(countedAccounts(rows), 'uuid');
    return sql.unsafe`
        WITH new AS MATERIALIZED (
            SELECT * FROM ${sql.unnest(tuples, ['int4', 'text', 'bytea', 'uuid', 'text', 'int8'])}
                     AS new (place, did, public_key, account, origin, quota)
        ), shared AS MATERIALIZED (
            SELECT account FROM unnest(${accounts}) AS counted (account)
            WHERE pg_try_advisory_xact_lock_shared(${LOCK_SPACE}, hashtext(account::text))
        ), counts AS MATERIALIZED (
            SELECT account, sum(dids) AS dids FROM did.accounts
            WHERE account = ANY(${accounts}) GROUP BY account
        ), numbered AS (
            SELECT place, quota, shared.account IS NULL AS is_locked,
                   coalesce(dids, 0) + row_number() OVER (PARTITION BY new.account ORDER BY place) AS nth
            FROM new LEFT JOIN shared ON shared.account = new.account LEFT JOIN counts ON counts.account = new.account
            WHERE new.account IS NOT NULL AND origin <> 'wallet' AND ${isNew}
        ), refused AS MATERIALIZED (
            SELECT place FROM numbered WHERE is_locked OR nth + ${margin} > quota
        ), inserted AS (
            INSERT INTO did.dids (did, public_key, account, origin, created_at)
            SELECT did, public_key, account, origin, now() FROM new WHERE place NOT IN (SELECT place FROM refused)
            ON CONFLICT (did) DO NOTHING
            RETURNING account, origin
        ), written AS (
            SELECT account FROM inserted WHERE origin <> 'wallet' -- the wallet is what is counted
        ), counted AS (${appendDeltas('dids_created')})
        SELECT place FROM refused`;
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
