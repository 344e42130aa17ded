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
    releaseClaims,
} from '../idempotency/claims.store.ts';
import { appendUserCounts } from '../pending-counts.store.ts';
import type { NewUserRow } from './rows.ts';

/** A row with the claim that must be made for it. */
interface ClaimedRow {
    row: NewUserRow;
    claim: NewClaim;
}

/** The insertions of the store. */
export function userInsertions(db: Database) {
    return {
        insertUser: coalesce({
            ...STORE_GROUPS,
            name: 'user_insert',
            bisectOn: isRefusedStatement,
            run: (rows: NewUserRow[], group) => insertUsers(db, rows, group),
        }),
        insertUserOnce: claimedWrites({
            name: 'user_insert_once',
            run: (items: ClaimedRow[], group) => insertClaimed(db, items, group),
        }),
    };
}

async function insertUsers(db: Database, rows: NewUserRow[], group: CallLifetime): Promise<boolean[]> {
    // The order is the same everywhere: two batches with the same addresses then wait for each other in turn and do not
    // deadlock.
    const tuples = rows
        .map((row) => [row.user_id, row.email, row.name ?? null, row.tier, row.password_hash, row.created_at])
        .sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1));
    const statement = sql.unsafe`
        WITH written AS (
            INSERT INTO identity.users (user_id, email, name, tier, password_hash, created_at, updated_at)
            SELECT *, created_at
            FROM ${sql.unnest(tuples, ['uuid', 'text', 'text', 'text', 'text', 'timestamptz'])}
                 AS new (user_id, email, name, tier, password_hash, created_at)
            ON CONFLICT (email) DO NOTHING
            RETURNING user_id, tier
        ), counted AS (${appendUserCounts()})
        SELECT user_id FROM written`;
    const written = await db.rows<{ user_id: string }>(statement, 'users_insert', group);
    const ids = new Set(written.map((row) => row.user_id));
    return rows.map((row) => ids.has(row.user_id));
}

/** Claims and inserts. In the same transaction it takes back the claims of accounts whose address is taken. */
function insertClaimed(db: Database, items: ClaimedRow[], group: CallLifetime): Promise<Outcome[]> {
    return db.transaction(
        async ({ rows }) => {
            const claimed = await rows<{ id: string; was_written: boolean }>(insertionOf(items));
            const wasWritten = new Map(claimed.map(({ id, was_written }) => [id, was_written]));
            const refused = items.filter(({ claim }) => wasWritten.get(claim.id) === false);
            if (refused.length > 0) {
                await rows(
                    releaseClaims(
                        'identity',
                        refused.map(({ claim }) => claim),
                    ),
                );
            }
            return items.map(({ claim }) => {
                const written = wasWritten.get(claim.id);
                return written === undefined ? 'held' : written ? 'written' : 'refused';
            });
        },
        'users_insert_once',
        group,
    );
}

/** The id and the time of a claim are those of its account. */
function insertionOf(items: ClaimedRow[]) {
    const [{ claim }] = items as [ClaimedRow]; // no batch is empty
    const tuples = items.map(({ row, claim }) => [
        ...claimValues(claim),
        row.email,
        row.name ?? null,
        row.tier,
        row.password_hash,
    ]);
    return sql.unsafe`
        WITH new AS (
            SELECT * FROM ${sql.unnest(tuples, [...CLAIM_TYPES, 'text', 'text', 'text', 'text'])}
                     AS new (${CLAIM_COLUMNS}, email, name, tier, password_hash)
        ), ${claimedFromNew('identity', claim)}, written AS (
            INSERT INTO identity.users (user_id, email, name, tier, password_hash, created_at, updated_at)
            SELECT id, email, name, tier, password_hash, made_at, made_at
            FROM new WHERE id IN (SELECT id FROM claimed) ORDER BY email COLLATE "C"
            ON CONFLICT (email) DO NOTHING
            RETURNING user_id, tier
        ), counted AS (${appendUserCounts()})
        SELECT id, id IN (SELECT user_id FROM written) AS was_written FROM claimed`;
}
