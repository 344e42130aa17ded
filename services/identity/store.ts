import { type Coalescer, coalesce } from '../../platform/batch.ts';
import { type Database, isRefusedStatement, refusalCode, STORE_GROUPS, sql } from '../../platform/db.ts';
import { appendDeltas, appendUserDeltas } from '../deltas.store.ts';
import type { Tier } from '../tiers.ts';

/** All times are ISO 8601 in UTC with milliseconds. */
export interface UserRow {
    user_id: string;
    email: string;
    name: string | null;
    tier: Tier;
    created_at: string;
    last_login_at: string | null;
}

export interface NewUserRow {
    user_id: string;
    email: string;
    name: string | undefined;
    tier: Tier;
    password_hash: string;
    created_at: string;
}

export interface PasswordRow extends UserRow {
    password_hash: string;
    password_version: number;
}

/** A session that has not been ended, and its account as it is now. It may have expired. */
export interface SessionRow extends UserRow {
    session_id: string;
    expires_at: string;
}

export interface RefreshRow extends SessionRow {
    /** The refresh token that is good now. */
    refresh_id: string;
    /** When the one in question was traded in, if that was lately. */
    spent_at: string | null;
}

export interface NewSession {
    session_id: string;
    user_id: string;
    /** Opens nothing when the password has been changed since this version. */
    password_version: number;
    /** Replaces the hash of this same password. */
    upgraded_hash: string | undefined;
    refresh_id: string;
    now: string;
    expires_at: string;
}

/** What is undefined stays; a name of null is taken away. */
export interface UserChange {
    user_id: string;
    email: string | undefined;
    name: string | null | undefined;
    now: string;
}

export interface UpdatedRow {
    user_id: string;
    email: string;
    name: string | null;
    updated_at: string;
}

export interface PasswordChange {
    user_id: string;
    /** Changes nothing when the password has been changed since this version. */
    password_version: number;
    password_hash: string;
    /** The session that goes on. */
    kept_session: string | undefined;
    now: string;
}

export interface Rotation {
    session_id: string;
    spent_id: string;
    refresh_id: string;
    now: string;
    expires_at: string;
    /** Refresh tokens spent before this time are forgotten. */
    forget_before: string;
}

export interface IdentityStore {
    /** False where the address is taken. */
    insertUser: Coalescer<NewUserRow, boolean>;
    findUser: Coalescer<string, UserRow | undefined>;
    /** By address. */
    findPassword: Coalescer<string, PasswordRow | undefined>;
    findPasswordOf(user_id: string): Promise<PasswordRow | undefined>;
    /** The account as it is then; `taken` where the address is another one's, undefined where there is no such account. */
    updateUser(change: UserChange): Promise<UpdatedRow | 'taken' | undefined>;
    /** Whether it did. All other sessions of the account end with the change; `beforeCommit` hears which. */
    changePassword(change: PasswordChange, beforeCommit: (ended: string[]) => Promise<void>): Promise<boolean>;
    /** The account with its new last_login_at; undefined as NewSession says. */
    openSession(session: NewSession): Promise<UserRow | undefined>;
    findSession: Coalescer<string, SessionRow | undefined>;
    findRefresh(target: { session_id: string; refresh_id: string }): Promise<RefreshRow | undefined>;
    /** Of several callers with one `spent_id` exactly one hears true. */
    rotate(rotation: Rotation): Promise<boolean>;
    /** When the session ended, now or before; undefined where there is none (any more). */
    endSession(target: { session_id: string; now: string }): Promise<string | undefined>;
    ping(): Promise<void>;
}

export function identityStore(db: Database): IdentityStore {
    return {
        insertUser: coalesce({
            ...STORE_GROUPS,
            name: 'user_insert',
            halve_on: isRefusedStatement,
            run: (rows: NewUserRow[]) => insertUsers(db, rows),
        }),
        findUser: coalesce({ ...STORE_GROUPS, name: 'user_find', run: (ids: string[]) => findUsers(db, ids) }),
        findSession: coalesce({ ...STORE_GROUPS, name: 'session_find', run: (ids: string[]) => findSessions(db, ids) }),
        findPassword: coalesce({
            ...STORE_GROUPS,
            name: 'password_find',
            run: (emails: string[]) => findPasswords(db, emails),
        }),
        findPasswordOf: (user_id) => findPasswordOf(db, user_id),
        updateUser: (change) => updateUser(db, change),
        changePassword: (change, beforeCommit) => changePassword(db, change, beforeCommit),
        openSession: (session) => openSession(db, session),
        findRefresh: (target) => findRefresh(db, target),
        rotate: (rotation) => rotate(db, rotation),
        endSession: (target) => endSession(db, target),
        async ping() {
            await db.rows(sql.unsafe`SELECT 1`);
        },
    };
}

const USER_COLUMNS = sql.fragment`u.user_id, u.email, u.name, u.tier, u.created_at, u.last_login_at`;

async function insertUsers(db: Database, rows: NewUserRow[]): Promise<boolean[]> {
    // In one order everywhere: two groups that share addresses then wait for each other in turn, not in a circle.
    const tuples = rows
        .map((row) => [row.user_id, row.email, row.name ?? null, row.tier, row.password_hash, row.created_at])
        .sort(([, a], [, b]) => (String(a) < String(b) ? -1 : 1));
    const written = await db.rows<{ user_id: string }>(sql.unsafe`
        WITH written AS (
            INSERT INTO identity.users (user_id, email, name, tier, password_hash, created_at, updated_at)
            SELECT *, created_at
            FROM ${sql.unnest(tuples, ['uuid', 'text', 'text', 'text', 'text', 'timestamptz'])}
                 AS new (user_id, email, name, tier, password_hash, created_at)
            ON CONFLICT (email) DO NOTHING
            RETURNING user_id, tier
        ), counted AS (${appendUserDeltas()})
        SELECT user_id FROM written`);
    const ids = new Set(written.map((row) => row.user_id));
    return rows.map((row) => ids.has(row.user_id));
}

async function findUsers(db: Database, ids: string[]): Promise<Array<UserRow | undefined>> {
    const rows = await db.rows<UserRow>(sql.unsafe`
        SELECT ${USER_COLUMNS} FROM identity.users u WHERE u.user_id = ANY(${sql.array(ids, 'uuid')})`);
    const found = new Map(rows.map((row) => [row.user_id, row]));
    return ids.map((id) => found.get(id));
}

async function findSessions(db: Database, ids: string[]): Promise<Array<SessionRow | undefined>> {
    const rows = await db.rows<SessionRow>(sql.unsafe`
        SELECT s.session_id, s.expires_at, ${USER_COLUMNS}
        FROM identity.sessions s JOIN identity.users u USING (user_id)
        WHERE s.session_id = ANY(${sql.array(ids, 'uuid')}) AND s.ended_at IS NULL`);
    const found = new Map(rows.map((row) => [row.session_id, row]));
    return ids.map((id) => found.get(id));
}

const PASSWORD_COLUMNS = sql.fragment`${USER_COLUMNS}, u.password_hash, u.password_version`;

async function findPasswords(db: Database, emails: string[]): Promise<Array<PasswordRow | undefined>> {
    const rows = await db.rows<PasswordRow>(sql.unsafe`
        SELECT ${PASSWORD_COLUMNS} FROM identity.users u WHERE u.email = ANY(${sql.array(emails, 'text')})`);
    const found = new Map(rows.map((row) => [row.email, row]));
    return emails.map((email) => found.get(email));
}

async function findPasswordOf(db: Database, user_id: string): Promise<PasswordRow | undefined> {
    const [row] = await db.rows<PasswordRow>(sql.unsafe`
        SELECT ${PASSWORD_COLUMNS} FROM identity.users u WHERE u.user_id = ${user_id}`);
    return row;
}

/** SQLSTATEs of an address that another account has: its row is there, or two accounts were taking each other's at once. */
const TAKEN = ['23505', '40P01'];

async function updateUser(db: Database, change: UserChange): Promise<UpdatedRow | 'taken' | undefined> {
    const { user_id, email, name, now } = change;
    const changes = [
        email === undefined ? [] : sql.fragment`email = ${email}`,
        name === undefined ? [] : sql.fragment`name = ${name}`,
    ].flat();
    const columns = sql.fragment`user_id, email, name, updated_at`;
    const statement =
        changes.length === 0
            ? sql.unsafe`SELECT ${columns} FROM identity.users WHERE user_id = ${user_id}`
            : sql.unsafe`
                UPDATE identity.users SET updated_at = ${now}, ${sql.join(changes, sql.fragment`, `)}
                WHERE user_id = ${user_id}
                RETURNING ${columns}`;
    try {
        const [row] = await db.rows<UpdatedRow>(statement);
        return row;
    } catch (error) {
        if (TAKEN.includes(refusalCode(error) ?? '')) return 'taken';
        throw error;
    }
}

async function changePassword(
    db: Database,
    { user_id, password_version, password_hash, kept_session, now }: PasswordChange,
    beforeCommit: (ended: string[]) => Promise<void>,
): Promise<boolean> {
    return db.transaction(async (transaction) => {
        const changed = await transaction.rows(sql.unsafe`
            UPDATE identity.users SET password_hash = ${password_hash}, password_version = password_version + 1
            WHERE user_id = ${user_id} AND password_version = ${password_version}
            RETURNING user_id`);
        if (changed.length === 0) return false;
        // A statement of its own: it sees each session that the old password has opened, and by now it opens no more.
        const ended = await transaction.rows<{ session_id: string }>(sql.unsafe`
            UPDATE identity.sessions SET ended_at = ${now}
            WHERE user_id = ${user_id} AND session_id IS DISTINCT FROM ${kept_session ?? null} AND ended_at IS NULL
            RETURNING session_id`);
        await beforeCommit(ended.map((session) => session.session_id));
        return true;
    });
}

/** Also clears away what has expired of the account's sessions: nothing else would. */
async function openSession(db: Database, session: NewSession): Promise<UserRow | undefined> {
    const [row] = await db.rows<UserRow>(sql.unsafe`
        WITH u AS (
            UPDATE identity.users
            SET last_login_at = ${session.now}, password_hash = coalesce(${session.upgraded_hash ?? null}, password_hash)
            WHERE user_id = ${session.user_id} AND password_version = ${session.password_version}
            RETURNING *
        ), opened AS (
            INSERT INTO identity.sessions (session_id, user_id, refresh_id, created_at, expires_at)
            SELECT ${session.session_id}::uuid, user_id, ${session.refresh_id}::uuid, ${session.now}::timestamptz,
                   ${session.expires_at}::timestamptz
            FROM u
        ), cleared AS (
            DELETE FROM identity.sessions WHERE user_id = ${session.user_id} AND expires_at <= ${session.now}
        ), written AS (
            SELECT user_id AS account FROM u
        ), counted AS (${appendDeltas('logins')})
        SELECT ${USER_COLUMNS} FROM u`);
    return row;
}

async function findRefresh(
    db: Database,
    { session_id, refresh_id }: { session_id: string; refresh_id: string },
): Promise<RefreshRow | undefined> {
    const [row] = await db.rows<RefreshRow>(sql.unsafe`
        SELECT s.session_id, s.expires_at, s.refresh_id, ${USER_COLUMNS}, spent.spent_at
        FROM identity.sessions s
        JOIN identity.users u USING (user_id)
        LEFT JOIN identity.spent_refreshes spent
               ON spent.session_id = s.session_id AND spent.refresh_id = ${refresh_id}
        WHERE s.session_id = ${session_id} AND s.ended_at IS NULL`);
    return row;
}

async function rotate(db: Database, rotation: Rotation): Promise<boolean> {
    const rows = await db.rows(sql.unsafe`
        WITH rotated AS (
            UPDATE identity.sessions
            SET refresh_id = ${rotation.refresh_id}, expires_at = greatest(expires_at, ${rotation.expires_at})
            WHERE session_id = ${rotation.session_id} AND refresh_id = ${rotation.spent_id} AND ended_at IS NULL
            RETURNING session_id
        ), forgotten AS (
            DELETE FROM identity.spent_refreshes
            WHERE session_id IN (SELECT session_id FROM rotated) AND spent_at < ${rotation.forget_before}
        )
        INSERT INTO identity.spent_refreshes (session_id, refresh_id, spent_at)
        SELECT session_id, ${rotation.spent_id}::uuid, ${rotation.now}::timestamptz FROM rotated
        RETURNING session_id`);
    return rows.length === 1;
}

async function endSession(
    db: Database,
    { session_id, now }: { session_id: string; now: string },
): Promise<string | undefined> {
    const [row] = await db.rows<{ ended_at: string }>(sql.unsafe`
        UPDATE identity.sessions SET ended_at = coalesce(ended_at, ${now})
        WHERE session_id = ${session_id}
        RETURNING ended_at`);
    return row?.ended_at;
}
