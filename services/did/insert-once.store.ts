import type { CallLifetime } from '../../platform/context.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import {
    CLAIM_COLUMNS,
    CLAIM_TYPES,
    claimedFromNew,
    claimValues,
    type NewClaim,
    type Outcome,
} from '../idempotency/claims.store.ts';
import {
    byDid,
    columnsOf,
    farAccounts,
    IS_FAR,
    insertedFromNew,
    isCounted,
    lockAlone,
    refusedFromNew,
} from './insert.store.ts';
import type { DidRow } from './rows.ts';

/** A row with the claim that must be made for it. */
export interface ClaimedRow {
    row: DidRow;
    claim: NewClaim;
}

/** Like insertGroup(), for rows with claims. A row that the quota refuses leaves no claim. */
export async function insertClaimed(db: Database, items: ClaimedRow[], group: CallLifetime): Promise<Outcome[]> {
    const sorted = items.toSorted((one, other) => byDid(one.row, other.row));
    const found = await db.prepared<{ account: string | null; id: string | null }>(
        'dids_insert_once',
        insertionFar(sorted),
        group,
    );
    const far = new Set(found.map(({ account }) => account));
    const written = new Set(found.map(({ id }) => id));
    const near = sorted.filter(({ row }) => isCounted(row) && !far.has(row.account));
    const refused = new Set<string>();
    if (near.length > 0) {
        const rows = await db.transaction(
            async (queries) => {
                await lockAlone(
                    queries,
                    near.map(({ row }) => row),
                );
                return queries.rows<{ id: string; was_refused: boolean }>(insertionNear(near));
            },
            'dids_insert_once_near_quota',
            group,
        );
        for (const { id, was_refused } of rows) (was_refused ? refused : written).add(id);
    }
    return items.map(({ claim: { id } }) => (written.has(id) ? 'written' : refused.has(id) ? 'refused' : 'held'));
}

/** Claims and writes the rows that need no exact count. Returns the accounts that are far, and the ids of the claims. */
function insertionFar(items: ClaimedRow[]) {
    const [{ claim }] = items as [ClaimedRow]; // no batch is empty
    const tuples = items.map(({ row, claim }) => [...claimValues(claim), ...columnsOf(row)]);
    return sql.unsafe`
        WITH ${farAccounts(items.map(({ row }) => row))}, new AS (
            SELECT * FROM ${sql.unnest(tuples, [...CLAIM_TYPES, 'text', 'bytea', 'uuid', 'text'])}
                     AS rows (${CLAIM_COLUMNS}, did, public_key, account, origin)
        ), ${claimedFromNew('did', claim, IS_FAR)}, ${insertedFromNew(sql.fragment`id IN (SELECT id FROM claimed)`)}
        SELECT account, NULL::uuid AS id FROM far UNION ALL SELECT NULL, id FROM claimed`;
}

/**
 * Claims and writes rows while their account has DIDs left. A row whose claim is held needs no room. Returns the ids of
 * the claims, and those of the refused rows.
 */
function insertionNear(items: ClaimedRow[]) {
    const [{ claim }] = items as [ClaimedRow]; // it is called with at least one
    const tuples = items.map(({ row, claim }, place) => [
        ...claimValues(claim),
        ...columnsOf(row),
        row.quota ?? null,
        place,
    ]);
    const needsRoom = sql.fragment`NOT EXISTS (
                    SELECT FROM did.idempotency AS held
                    WHERE held.scope_hash = new.scope_hash AND held.made_at >= ${claim.stale_before})`;
    return sql.unsafe`
        WITH new AS MATERIALIZED (
            SELECT * FROM ${sql.unnest(tuples, [...CLAIM_TYPES, 'text', 'bytea', 'uuid', 'text', 'int8', 'int4'])}
                     AS rows (${CLAIM_COLUMNS}, did, public_key, account, origin, quota, place)
        ), ${refusedFromNew(
            items.map(({ row }) => row),
            needsRoom,
        )}, ${claimedFromNew('did', claim, sql.fragment`place NOT IN (SELECT place FROM refused)`)},
        ${insertedFromNew(sql.fragment`id IN (SELECT id FROM claimed)`)}
        SELECT id, false AS was_refused FROM claimed
        UNION ALL SELECT id, true FROM new WHERE place IN (SELECT place FROM refused)`;
}
