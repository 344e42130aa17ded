import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { changeApart, changeRows } from '../../platform/postgres/append.store.ts';
import { type Database, isRefusedStatement, type Queries, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { appendUserCounts } from '../counts/pending.store.ts';
import { claimedWrites, makeClaims, type Outcome, releaseClaims } from '../idempotency/claims.store.ts';
import { type ClaimedRow, insertion } from '../idempotency/writes.store.ts';
import type { NewUserRow } from './rows.ts';

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
            run: (items: Array<ClaimedRow<NewUserRow>>, group) => insertClaimed(db, items, group),
        }),
    };
}

const USERS = insertion<NewUserRow>({
    table: ['identity', 'users'],
    columns: {
        user_id: { type: 'uuid', value: ({ user_id }) => user_id, claim: 'id', isRead: true },
        email: { type: 'text', value: ({ email }) => email },
        name: { type: 'text', value: ({ name }) => name },
        tier: { type: 'text', value: ({ tier }) => tier, isRead: true },
        password_hash: { type: 'text', value: ({ password_hash }) => password_hash },
        created_at: { type: 'timestamptz', value: ({ created_at }) => created_at, claim: 'made_at' },
        updated_at: { type: 'timestamptz', value: ({ created_at }) => created_at, claim: 'made_at' },
    },
    key: 'email',
    order: sql.fragment`email COLLATE "C"`,
});

async function insertUsers(db: Database, rows: NewUserRow[], group: CallLifetime): Promise<boolean[]> {
    const written = await changeRows(db, {
        name: 'users_insert',
        call: group,
        ...USERS.apart(rows.map((row) => ({ row }))),
        appended: [appendUserCounts()],
    });
    const ids = new Set(written.map((row) => row.user_id));
    return rows.map((row) => ids.has(row.user_id));
}

/** Claims and inserts. In the same transaction it takes back the claims of accounts whose address is taken. */
function insertClaimed(db: Database, items: Array<ClaimedRow<NewUserRow>>, group: CallLifetime): Promise<Outcome[]> {
    const work = async (queries: Queries): Promise<Outcome[]> => {
        const claimed = await makeClaims(
            queries,
            'identity',
            items.map(({ claim }) => claim),
        );
        const own = items.filter(({ claim }) => claimed.has(claim.id));
        if (own.length === 0) return items.map(() => 'held');
        const written = await changeApart(queries, { ...USERS.apart(own), appended: [appendUserCounts()] });
        const ids = new Set(written.map(({ user_id }) => user_id));
        const refused = own.map(({ claim }) => claim).filter(({ id }) => !ids.has(id));
        if (refused.length > 0) await queries.rows(releaseClaims('identity', refused));
        return items.map(({ claim: { id } }) => (!claimed.has(id) ? 'held' : ids.has(id) ? 'written' : 'refused'));
    };
    return db.transaction(work, 'users_insert_once', group);
}
