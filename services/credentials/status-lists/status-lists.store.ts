import { z } from 'zod';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { LIST_PLACES } from './permutation.ts';
import {
    ages,
    block,
    change,
    type ListOwner,
    listedList,
    place,
    publishedList,
    type StatusListStore,
    signedList,
    statusList,
} from './rows.ts';

const LIST_COLUMNS = sql.fragment`list, list_id, public_url, issuer_did`;
/** Names a published list. Two publications with the same number of revocations and the same time are equal. */
const VERSION = sql.fragment`p.revoked || '-' || extract(epoch FROM p.issued_at)::bigint`;

/** The indexes in one value, four bytes each. */
const revokedRow = z.strictObject({ indexes: z.instanceof(Buffer).nullable() });

export function statusListStore(db: Database): StatusListStore {
    return {
        ...placeStore(db),
        ...publisherStore(db),
        async listPublished(limit) {
            return db.prepared(
                'status_lists_published',
                sql.type(listedList)`
                SELECT ${LIST_COLUMNS}, ${VERSION} AS version
                FROM credentials.status_lists JOIN credentials.status_publications AS p USING (list)
                ORDER BY list DESC LIMIT ${limit}`,
            );
        },
        async findPublished(listId) {
            const [found] = await db.prepared(
                'status_lists_find',
                sql.type(publishedList)`
                SELECT p.token, ${VERSION} AS version
                FROM credentials.status_lists JOIN credentials.status_publications AS p USING (list)
                WHERE list_id = ${listId}`,
            );
            return found;
        },
    };
}

function placeStore(db: Database): Pick<StatusListStore, 'takeBlock' | 'findOpen' | 'begin' | 'findPlace'> {
    return {
        async takeBlock(owner, places) {
            const [taken] = await db.rows(sql.type(block)`
                UPDATE credentials.status_lists SET taken = taken + ${places}
                WHERE ${isOpen(owner)} AND abandoned_at IS NULL
                    AND EXISTS (SELECT FROM credentials.status_publications AS p WHERE p.list = status_lists.list)
                RETURNING ${LIST_COLUMNS}, permutation_key, taken - ${places} AS first`);
            return taken;
        },
        async findOpen(owner) {
            const [list] = await db.rows(sql.type(statusList)`
                SELECT ${LIST_COLUMNS} FROM credentials.status_lists WHERE ${isOpen(owner)}`);
            return list;
        },
        async begin({ list_id, public_url, issuer_did, permutation_key, created_at }) {
            await db.rows(sql.unsafe`
                INSERT INTO credentials.status_lists (list_id, public_url, issuer_did, permutation_key, created_at)
                VALUES (${list_id}, ${public_url}, ${issuer_did}, ${sql.binary(permutation_key)}, ${created_at})
                ON CONFLICT DO NOTHING`);
        },
        async findPlace(id) {
            const [found] = await db.prepared(
                'status_lists_place',
                sql.type(place)`
                SELECT ${LIST_COLUMNS}, status_index
                FROM credentials.credentials JOIN credentials.status_lists ON list = status_list
                WHERE id = ${id}`,
            );
            return found;
        },
    };
}

/** Of the lists of the service, which a did:key signs, one is open, whichever key that is. */
function isOpen({ public_url, issuer_did }: ListOwner) {
    const owned =
        issuer_did === undefined ? sql.fragment`issuer_did LIKE 'did:key:%'` : sql.fragment`issuer_did = ${issuer_did}`;
    return sql.fragment`public_url = ${public_url} AND taken < ${LIST_PLACES} AND ${owned}`;
}

function publisherStore(
    db: Database,
): Omit<StatusListStore, 'takeBlock' | 'findOpen' | 'begin' | 'findPlace' | 'listPublished' | 'findPublished'> {
    return {
        async readRevoked(list) {
            // One statement, so that all indexes are read at the same moment; and one value, because a row for each of a
            // million indexes would occupy the event loop for a second.
            const [read] = await db.rows(sql.type(revokedRow)`
                SELECT string_agg(int4send(status_index), '') AS indexes FROM credentials.credentials
                WHERE status_list = ${list} AND revoked_at IS NOT NULL`);
            const bytes = read?.indexes ?? Buffer.alloc(0);
            return new Int32Array(bytes.length / 4).map((_, place) => bytes.readInt32BE(place * 4));
        },
        async publish({ list, revoked, issued_at, token, kid }) {
            await db.rows(sql.unsafe`
                WITH resumed AS (
                    UPDATE credentials.status_lists SET abandoned_at = NULL
                    WHERE list = ${list} AND abandoned_at IS NOT NULL AND issuer_did LIKE 'did:web:%')
                INSERT INTO credentials.status_publications AS p (list, revoked, issued_at, token, kid)
                VALUES (${list}, ${revoked}, ${issued_at}, ${token}, ${kid ?? null})
                ON CONFLICT (list) DO UPDATE
                SET revoked = excluded.revoked, issued_at = excluded.issued_at, token = excluded.token, kid = excluded.kid
                WHERE (excluded.revoked, excluded.issued_at) >= (p.revoked, p.issued_at)`);
        },
        async postpone(list) {
            await db.rows(sql.unsafe`UPDATE credentials.status_lists SET abandoned_at = now() WHERE list = ${list}`);
        },
        async findSigned(after, limit) {
            return db.rows(sql.type(signedList)`
                SELECT ${LIST_COLUMNS}, p.kid, abandoned_at IS NOT NULL AS is_postponed
                FROM credentials.status_lists JOIN credentials.status_publications AS p USING (list)
                WHERE list > ${after} AND issuer_did LIKE 'did:web:%'
                ORDER BY list LIMIT ${limit}`);
        },
        async readChanges(limit, except) {
            return db.rows(sql.type(change)`
                SELECT id, list FROM credentials.status_changes
                WHERE list <> ALL(${sql.array([...except], 'int4')}) ORDER BY id LIMIT ${limit}`);
        },
        async removeChanges(ids) {
            await db.rows(sql.unsafe`
                DELETE FROM credentials.status_changes WHERE id = ANY(${sql.array([...ids], 'int8')})`);
        },
        async findLists(lists) {
            return db.rows(sql.type(statusList)`
                SELECT ${LIST_COLUMNS} FROM credentials.status_lists
                WHERE list = ANY(${sql.array([...lists], 'int4')}) AND abandoned_at IS NULL`);
        },
        async findOld({ before, retry }, limit) {
            return db.rows(sql.type(statusList)`
                SELECT ${LIST_COLUMNS} FROM credentials.status_lists LEFT JOIN credentials.status_publications AS p USING (list)
                WHERE (p.issued_at IS NULL OR p.issued_at < ${before}) AND abandoned_at IS NULL
                    OR abandoned_at < ${retry} AND issuer_did LIKE 'did:web:%'
                ORDER BY p.issued_at NULLS FIRST LIMIT ${limit}`);
        },
        async readAges() {
            const [read] = await db.rows(sql.type(ages)`
                SELECT extract(epoch FROM now() - (SELECT made_at FROM credentials.status_changes ORDER BY id LIMIT 1))::float8 * 1000 AS changed_ms,
                    extract(epoch FROM now() - (SELECT min(issued_at) FROM credentials.status_publications
                        JOIN credentials.status_lists USING (list) WHERE abandoned_at IS NULL))::float8 * 1000 AS published_ms`);
            return read ?? { changed_ms: null, published_ms: null };
        },
    };
}
