import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import { type Database, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { FIRST_ID, LAST_ID } from '../account-pages.store.ts';
import { type CredentialStore, issuedRow, type ListedRow, listedRow, type Party, type Range } from './rows.ts';

type Query = Omit<Party, 'role'> & Range;

/** The rows of a page: all that name the DID, or only those that one account has issued. */
interface Kind {
    role: Party['role'];
    rows: 'all' | 'own';
}

/**
 * Maximum number of rows that the pages of one batch ask for. A single page that asks for more is a batch of its own.
 * Beyond it: the rest goes with the next batch.
 */
const ROWS_OF_A_GROUP = 4_000;

const countRow = z.strictObject({ total: z.number() });
/** `query`: the index of its query in the batch. */
const pagedRow = listedRow.extend({ query: z.number() });

/** Reads lists. Each page is one range of an index of its own kind. */
export function pageStore(db: Database): Pick<CredentialStore, 'page' | 'count' | 'issued'> {
    const pagesOf = (kind: Kind) =>
        coalesce({
            ...STORE_GROUPS,
            name: `credentials_page_${kind.rows}_${kind.role}`,
            weight: { of: ({ size }: Query) => size, max: ROWS_OF_A_GROUP },
            run: (queries: Query[]) => readPages(db, kind, queries),
        });
    const pages = {
        issuer: { all: pagesOf({ role: 'issuer', rows: 'all' }), own: pagesOf({ role: 'issuer', rows: 'own' }) },
        subject: { all: pagesOf({ role: 'subject', rows: 'all' }), own: pagesOf({ role: 'subject', rows: 'own' }) },
    };
    return {
        page({ role, did, issued_by }, range, traced) {
            return pages[role][issued_by === undefined ? 'all' : 'own']({ did, issued_by, ...range }, traced);
        },
        async count({ role, did, issued_by }, traced) {
            const column = sql.identifier([role]);
            const condition =
                issued_by === undefined
                    ? sql.fragment`${column} = ${did}`
                    : sql.fragment`account = ${issued_by} AND sha256(${column}::bytea) = sha256(${did}::text::bytea)`;
            const statement = sql.type(
                countRow,
            )`SELECT count(*) AS total FROM credentials.credentials WHERE ${condition}`;
            const [row] = await db.rows(statement, 'credentials_count', traced);
            return row?.total ?? 0;
        },
        issued({ account, after, limit }, traced) {
            const digest = sql.fragment`sha256(issuer::bytea)`;
            const reached = after ? sql.fragment`sha256(${after.issuer}::text::bytea)` : sql.fragment`''::bytea`;
            const statement = sql.type(issuedRow)`
                SELECT id, issued_at, expires_at, issuer, subject, credential_type, revoked_at, revocation_reason
                FROM credentials.credentials
                WHERE account = ${account} AND (${digest}, id) > (${reached}, ${after?.id ?? FIRST_ID})
                ORDER BY ${digest}, id LIMIT ${limit}`;
            return db.rows(statement, 'credentials_issued', traced);
        },
    };
}

async function readPages(db: Database, kind: Kind, queries: Query[]): Promise<ListedRow[][]> {
    const tuples = queries.map((query, index) => [
        index,
        query.did,
        query.issued_by ?? null,
        query.before ?? LAST_ID,
        query.size,
    ]);
    const { key, order, asked } = indexOf(kind);
    // Compares tuples. With `role = did ORDER BY id` PostgreSQL would scan the ids of all parties if this one has many
    // rows.
    const rows = await db.prepared(
        `credentials_page_${kind.rows}_${kind.role}`,
        sql.type(pagedRow)`
        SELECT q.query, page.*
        FROM ${sql.unnest(tuples, ['int4', 'text', 'uuid', 'uuid', 'int4'])} AS q (query, did, issued_by, before, size)
        CROSS JOIN LATERAL (
            SELECT id, issued_at, expires_at, revoked_at IS NOT NULL AS revoked, issuer, subject, credential_type
            FROM credentials.credentials
            WHERE (${key}, id) > (${asked}, ${FIRST_ID}) AND (${key}, id) < (${asked}, q.before)
            ORDER BY ${order}, id DESC LIMIT q.size
        ) AS page
        ORDER BY q.query, page.id DESC`,
    );
    const pages = queries.map((): ListedRow[] => []);
    for (const row of rows) pages[row.query]?.push(row);
    return pages;
}

/** The columns of an index before the id, and their values in a query. */
function indexOf({ role, rows }: Kind) {
    const column = sql.identifier([role]);
    if (rows === 'all') return { key: column, order: sql.fragment`${column} DESC`, asked: sql.fragment`q.did` };
    return {
        key: sql.fragment`account, sha256(${column}::bytea)`,
        order: sql.fragment`account DESC, sha256(${column}::bytea) DESC`,
        asked: sql.fragment`q.issued_by, sha256(q.did::bytea)`,
    };
}
