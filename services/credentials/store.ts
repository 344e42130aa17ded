import { coalesce } from '../../platform/batch.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { appendPendingCounts } from '../deltas.store.ts';
import { FIRST_ID, LAST_ID, LISTED_COLUMNS } from './columns.store.ts';
import type { CredentialStore, FoundRow, ListedRow, NewRow, PageQuery, Party } from './rows.ts';
import { strandStore } from './strands.store.ts';

/** Maximum number of rows for the pages of one group. A single page that has more goes alone. */
const ROWS_OF_A_GROUP = 4_000;

export function credentialStore(db: Database): CredentialStore {
    const pagesOf = (role: Party['role']) =>
        coalesce({
            ...STORE_GROUPS,
            name: `credentials_page_${role}`,
            weight: { of: ({ size }: PageQuery) => size, max: ROWS_OF_A_GROUP },
            run: (queries: PageQuery[]) => readPages(db, role, queries),
        });
    const pages = { issuer: pagesOf('issuer'), subject: pagesOf('subject') };
    return {
        insert: coalesce({
            ...STORE_GROUPS,
            name: 'credentials_insert',
            bisect_on: isRefusedStatement,
            async run(rows: NewRow[]) {
                await insertGroup(db, rows);
                return rows.map(() => undefined);
            },
        }),
        find: coalesce({ ...STORE_GROUPS, name: 'credentials_find', run: (ids: string[]) => findGroup(db, ids) }),
        async revoke({ id, revoked_at, reason }, traced) {
            const statement = sql.unsafe`
                WITH written AS (
                    UPDATE credentials.credentials SET revoked_at = ${revoked_at}, revocation_reason = ${reason ?? null}
                    WHERE id = ${id} AND revoked_at IS NULL
                    RETURNING account
                ), counted AS (${appendPendingCounts('credentials_revoked')})
                SELECT account FROM written`;
            const written = await db.rows(statement, 'credentials_revoke', traced);
            return written.length > 0;
        },
        page: ({ role, did }, range, traced) => pages[role]({ did, ...range }, traced),
        async count({ role, did }, traced) {
            const statement = sql.unsafe`
                SELECT count(*) AS total FROM credentials.credentials WHERE ${sql.identifier([role])} = ${did}`;
            const [row] = await db.rows<{ total: number }>(statement, 'credentials_count', traced);
            return row?.total ?? 0;
        },
        ...strandStore(db),
        ping: () => db.ping(),
    };
}

async function insertGroup(db: Database, rows: NewRow[]): Promise<void> {
    const tuples = rows.map((row) => [
        row.id,
        row.account ?? null,
        row.issued_at,
        row.expires_at ?? null,
        row.issuer,
        row.subject,
        row.credential_type,
    ]);
    const types = ['uuid', 'uuid', 'timestamptz', 'timestamptz', 'text', 'text', 'text'];
    await db.prepared(
        'credentials_insert',
        sql.unsafe`
        WITH written AS (
            INSERT INTO credentials.credentials (id, account, issued_at, expires_at, issuer, subject, credential_type)
            SELECT * FROM ${sql.unnest(tuples, types)}
            ON CONFLICT (id) DO NOTHING
            RETURNING account
        )
        ${appendPendingCounts('credentials_issued')}`,
    );
}

async function findGroup(db: Database, ids: string[]) {
    const rows = await db.prepared<FoundRow & { id: string }>(
        'credentials_find',
        sql.unsafe`
        SELECT id, account, issuer, revoked_at, revocation_reason FROM credentials.credentials
        WHERE id = ANY(${sql.array(ids, 'uuid')})`,
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id));
}

async function readPages(db: Database, role: Party['role'], queries: PageQuery[]): Promise<ListedRow[][]> {
    const column = sql.identifier([role]);
    const tuples = queries.map(({ did, before, size }, place) => [place, did, before ?? LAST_ID, size]);
    // By pairs, not `role = did ORDER BY id`: for a party with many rows PostgreSQL would scan the ids of all parties.
    const rows = await db.prepared<ListedRow & { place: number }>(
        `credentials_page_${role}`,
        sql.unsafe`
        SELECT q.place, page.*
        FROM ${sql.unnest(tuples, ['int4', 'text', 'uuid', 'int4'])} AS q (place, did, before, size)
        CROSS JOIN LATERAL (
            SELECT ${LISTED_COLUMNS}
            FROM credentials.credentials
            WHERE (${column}, id) > (q.did, ${FIRST_ID}) AND (${column}, id) < (q.did, q.before)
            ORDER BY ${column} DESC, id DESC LIMIT q.size
        ) AS page
        ORDER BY q.place, page.id DESC`,
    );
    const pages = queries.map((): ListedRow[] => []);
    for (const row of rows) pages[row.place]?.push(row);
    return pages;
}
