import { coalesce } from '../../platform/batch.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import { appendPendingCounts } from '../pending-counts.store.ts';
import { FIRST_ID, LAST_ID, LISTED_COLUMNS } from './columns.store.ts';
import { insertions } from './insert.store.ts';
import type { CredentialStore, FoundRow, ListedRow, NewRevocation, PageQuery, Party } from './rows.ts';
import { strandStore } from './strands.store.ts';

/**
 * Maximum number of rows that the pages of one batch ask for. A single page that asks for more is a batch of its own.
 * Beyond it: the rest goes with the next batch.
 */
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
        ...insertions(db),
        find: rowLookup<string, FoundRow & { id: string }>(db, {
            name: 'credentials_find',
            statement: 'credentials_find',
            keyOf: ({ id }) => id,
            query: (ids) => sql.unsafe`
                SELECT id, account, issuer, revoked_at, revocation_reason FROM credentials.credentials
                WHERE id = ANY(${sql.array(ids, 'uuid')})`,
        }),
        revoke: coalesce({
            ...STORE_GROUPS,
            name: 'credentials_revoke',
            bisectOn: isRefusedStatement,
            run: (revocations: NewRevocation[]) => revokeGroup(db, revocations),
        }),
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

/**
 * Revokes what is not revoked yet. The rows are locked in the order of their ids, so that two groups with the same rows
 * cannot wait for each other. If a group revokes a credential several times, its first item does. The status lists of
 * the credentials are noted, so that they are published anew.
 */
async function revokeGroup(db: Database, revocations: NewRevocation[]): Promise<boolean[]> {
    const firsts = new Map<string, NewRevocation>();
    for (const revocation of revocations) if (!firsts.has(revocation.id)) firsts.set(revocation.id, revocation);
    const tuples = Array.from(firsts.values(), ({ id, revoked_at, reason }) => [id, revoked_at, reason ?? null]);
    const written = await db.prepared<{ id: string }>(
        'credentials_revoke',
        sql.unsafe`
        WITH asked AS (
            SELECT * FROM ${sql.unnest(tuples, ['uuid', 'timestamptz', 'text'])} AS asked (id, revoked_at, reason)
        ), open AS (
            SELECT id FROM credentials.credentials WHERE id IN (SELECT id FROM asked) AND revoked_at IS NULL
            ORDER BY id FOR UPDATE
        ), written AS (
            UPDATE credentials.credentials AS row
            SET revoked_at = asked.revoked_at, revocation_reason = asked.reason
            FROM asked JOIN open USING (id)
            WHERE row.id = asked.id AND row.revoked_at IS NULL
            RETURNING row.id, row.account, row.status_list
        ), counted AS (
            ${appendPendingCounts('credentials_revoked')}
        ), changed AS (
            INSERT INTO credentials.status_changes (list)
            SELECT DISTINCT status_list FROM written WHERE status_list IS NOT NULL
        )
        SELECT id FROM written`,
    );
    const ids = new Set(written.map(({ id }) => id));
    return revocations.map((revocation) => ids.has(revocation.id) && firsts.get(revocation.id) === revocation);
}

async function readPages(db: Database, role: Party['role'], queries: PageQuery[]): Promise<ListedRow[][]> {
    const column = sql.identifier([role]);
    const tuples = queries.map(({ did, before, size }, place) => [place, did, before ?? LAST_ID, size]);
    // Compares pairs. With `role = did ORDER BY id` PostgreSQL would scan the ids of all parties if this one has many
    // rows.
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
