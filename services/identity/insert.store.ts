import { z } from 'zod';
import { coalesce } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, isRefusedStatement, STORE_GROUPS, sql } from '../../platform/postgres/db.ts';
import { appendUserCounts } from '../counts/pending.store.ts';
import { claimedWrites, type Outcome, releaseClaims } from '../idempotency/claims.store.ts';
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
        user_id: { type: 'uuid', value: ({ user_id }) => user_id, claim: 'id' },
        email: { type: 'text', value: ({ email }) => email },
        name: { type: 'text', value: ({ name }) => name },
        tier: { type: 'text', value: ({ tier }) => tier },
        password_hash: { type: 'text', value: ({ password_hash }) => password_hash },
        created_at: { type: 'timestamptz', value: ({ created_at }) => created_at, claim: 'made_at' },
        updated_at: { type: 'timestamptz', value: ({ created_at }) => created_at, claim: 'made_at' },
    },
    key: 'email',
    order: sql.fragment`email COLLATE "C"`,
});

const writtenRow = z.strictObject({ user_id: z.string() });
const claimedRow = z.strictObject({ id: z.string(), was_written: z.boolean() });

async function insertUsers(db: Database, rows: NewUserRow[], group: CallLifetime): Promise<boolean[]> {
    const statement = sql.type(writtenRow)`
        ${USERS.plain(rows)}, counted AS (${appendUserCounts()})
        SELECT user_id FROM written`;
    const written = await db.rows(statement, 'users_insert', group);
    const ids = new Set(written.map((row) => row.user_id));
    return rows.map((row) => ids.has(row.user_id));
}

/** Claims and inserts. In the same transaction it takes back the claims of accounts whose address is taken. */
function insertClaimed(db: Database, items: Array<ClaimedRow<NewUserRow>>, group: CallLifetime): Promise<Outcome[]> {
    const statement = sql.type(claimedRow)`
        ${USERS.claimed(items)}, counted AS (${appendUserCounts()})
        SELECT id, id IN (SELECT user_id FROM written) AS was_written FROM claimed`;
    return db.transaction(
        async ({ rows }) => {
            const claimed = await rows(statement);
            const wasWritten = new Map(claimed.map(({ id, was_written }) => [id, was_written]));
            const refused = items.map(({ claim }) => claim).filter(({ id }) => wasWritten.get(id) === false);
            if (refused.length > 0) await rows(releaseClaims('identity', refused));
            return items.map(({ claim }) => {
                const written = wasWritten.get(claim.id);
                return written === undefined ? 'held' : written ? 'written' : 'refused';
            });
        },
        'users_insert_once',
        group,
    );
}
