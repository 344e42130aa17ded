import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import type { DidRow } from './rows.ts';

/**
 * An account with more DIDs left than this is far from its quota. Sixteen processes together never have this many DIDs
 * of one account in progress. Beyond it: a batch does not wait for the account's other writers.
 */
const QUOTA_MARGIN = 2_048;

/** The first key of the advisory locks by account. Nothing else in the database uses it. */
const LOCK_SPACE = 0x646964; // "did"

/**
 * Writes the DIDs of accounts that are far from their quota in one statement, without waiting for other batches of the
 * account. The DIDs of the other accounts are written separately, by a statement that sees what all batches before it
 * have written. Resolves, for each row, to false if the quota has refused it.
 */
export async function insertGroup(db: Database, rows: DidRow[], group: CallLifetime): Promise<boolean[]> {
    const sorted = rows.toSorted(byDid);
    const farRows = await db.prepared<{ account: string }>('dids_insert', insertionFar(sorted), group);
    const far = new Set(farRows.map(({ account }) => account));
    const near = sorted.filter((row) => isCounted(row) && !far.has(row.account));
    if (near.length === 0) return rows.map(() => true);
    const refusedRows = await db.transaction(
        async (queries) => {
            await lockAlone(queries, near);
            return queries.rows<{ place: number }>(insertionNear(near));
        },
        'dids_insert_near_quota',
        group,
    );
    const refused = new Set(refusedRows.map(({ place }) => near[place]));
    return rows.map((row) => !refused.has(row));
}

/** The order is the same everywhere, so that two processes that write the same DIDs do not deadlock. */
export function byDid(one: DidRow, other: DidRow): number {
    return one.did < other.did ? -1 : 1;
}

/** DIDs of wallets and DIDs without an account do not count. */
export function isCounted(row: DidRow): row is DidRow & { account: string } {
    return row.account !== undefined && row.origin !== 'wallet';
}

/** The accounts of the rows that count. They are sorted, so that two processes lock them in the same order. */
function countedAccounts(rows: DidRow[]): string[] {
    return [...new Set(rows.filter(isCounted).map(({ account }) => account))].sort();
}

/** Waits until no other statement writes DIDs of these accounts, and blocks others until the transaction ends. */
export async function lockAlone(queries: Queries, rows: DidRow[]): Promise<void> {
    await queries.rows(sql.unsafe`
        SELECT pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(account::text))
        FROM unnest(${sql.array(countedAccounts(rows), 'uuid')}) AS counted (account)`);
}

/**
 * Writes the rows that do not count, and the rows of accounts that have more than QUOTA_MARGIN DIDs left and are not
 * locked by lockAlone(). Returns these accounts.
 */
function insertionFar(rows: DidRow[]) {
    return sql.unsafe`
        WITH ${farAccounts(rows)}, new AS (
            SELECT * FROM ${sql.unnest(rows.map(columnsOf), ['text', 'bytea', 'uuid', 'text'])}
                     AS rows (did, public_key, account, origin)
        ), ${insertedFromNew(IS_FAR)}
        SELECT account FROM far`;
}

/** The rows of `new` that may be written without counting, if `far` is farAccounts(). */
export const IS_FAR = sql.fragment`
            account IS NULL OR origin = 'wallet' OR account = ANY (ARRAY(SELECT account FROM far))`;

/** Returns `far`: the accounts with more than QUOTA_MARGIN DIDs left that are not locked by lockAlone(). */
export function farAccounts(rows: DidRow[]) {
    const accounts = countedAccounts(rows);
    const quotas = accounts.map((account) => quotaIn(rows, account));
    return sql.fragment`far AS MATERIALIZED (
            SELECT account FROM unnest(${sql.array(accounts, 'uuid')}, ${sql.array(quotas, 'int8')}) AS asked (account, quota)
            WHERE pg_try_advisory_xact_lock_shared(${LOCK_SPACE}, hashtext(account::text)) AND (
                SELECT coalesce(sum(dids), 0) FROM did.accounts WHERE accounts.account = asked.account
            ) + ${QUOTA_MARGIN} < coalesce(quota, ${Number.MAX_SAFE_INTEGER})
        )`;
}

/**
 * Writes rows while their account has DIDs left. Returns the places of the other rows. A DID that exists already does
 * not count.
 */
function insertionNear(rows: DidRow[]) {
    const tuples = rows.map((row, place) => [...columnsOf(row), row.quota ?? null, place]);
    return sql.unsafe`
        WITH new AS MATERIALIZED (
            SELECT * FROM ${sql.unnest(tuples, ['text', 'bytea', 'uuid', 'text', 'int8', 'int4'])}
                     AS rows (did, public_key, account, origin, quota, place)
        ), ${refusedFromNew(rows, sql.fragment`true`)}, ${insertedFromNew(sql.fragment`place NOT IN (SELECT place FROM refused)`)}
        SELECT place FROM refused`;
}

/**
 * Returns `refused`: the places of those rows of `new` for which the quota of their account has no room. Only rows that
 * meet the condition need room.
 */
export function refusedFromNew(rows: DidRow[], condition: ReturnType<typeof sql.fragment>) {
    return sql.fragment`counts AS MATERIALIZED (
            SELECT account, sum(dids) AS dids FROM did.accounts
            WHERE account = ANY (${sql.array(countedAccounts(rows), 'uuid')}) GROUP BY account
        ), numbered AS (
            SELECT place, quota, coalesce(dids, 0) + row_number() OVER (PARTITION BY account ORDER BY place) AS nth
            FROM new LEFT JOIN counts USING (account)
            WHERE NOT EXISTS (SELECT FROM did.dids AS known WHERE known.did = new.did)
                AND NOT EXISTS (SELECT FROM new AS same WHERE same.did = new.did AND same.place < new.place)
                AND ${condition}
        ), refused AS MATERIALIZED (
            SELECT place FROM numbered WHERE nth > quota
        )`;
}

/** The smallest quota among the account's rows; null if none has one. */
function quotaIn(rows: DidRow[], account: string): number | null {
    const quotas = rows.flatMap((row) => (row.account === account && row.quota !== undefined ? row.quota : []));
    return quotas.length > 0 ? Math.min(...quotas) : null;
}

/** The values of a row for the columns of did.dids. */
export function columnsOf({ did, public_key, account, origin }: DidRow) {
    return [did, Buffer.from(public_key), account ?? null, origin];
}

/** Writes the rows of `new` that meet the condition. The trigger on did.dids counts them. */
export function insertedFromNew(condition: ReturnType<typeof sql.fragment>) {
    return sql.fragment`inserted AS (
            INSERT INTO did.dids (did, public_key, account, origin, created_at)
            SELECT did, public_key, account, origin, now() FROM new WHERE ${condition}
            ON CONFLICT (did) DO NOTHING
            RETURNING account, origin
        ), written AS (
            SELECT account FROM inserted WHERE origin <> 'wallet' -- the wallet is counted instead
        ), counted AS (${appendPendingCounts('dids_created')})`;
}
