import { z } from 'zod';
import type { Coalescer } from '../../platform/batch.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { changeRows } from '../../platform/postgres/append.store.ts';
import { type Database, sql } from '../../platform/postgres/db.ts';
import { rowLookup } from '../../platform/postgres/row-lookup.ts';
import type { Cause } from '../outbox/cause.ts';
import { appendEvents } from '../outbox/outbox.store.ts';
import { changePassword, type PasswordChange } from './password-change.store.ts';
import { USER_COLUMNS, type UserRow, userRow } from './users.store.ts';

/** A session that has not been ended, and the current state of its account. The session may have expired. */
const sessionRow = userRow.extend({ session_id: z.string(), expires_at: z.string() });
export type SessionRow = z.infer<typeof sessionRow>;

const refreshRow = sessionRow.extend({
    /** The current refresh token. */
    refresh_id: z.string(),
    /** When the requested refresh token was spent; null if it was not spent recently. */
    spent_at: z.string().nullable(),
});
export type RefreshRow = z.infer<typeof refreshRow>;

const surplusRow = z.strictObject({ session_id: z.string(), is_open: z.boolean() });
const countRow = z.strictObject({ total: z.number() });
const rotatedRow = z.strictObject({ session_id: z.string() });
const endedRow = z.strictObject({ ended_at: z.string() });
const endedSessionRow = endedRow.extend({ account: z.string(), session_id: z.string() });

interface NewSession {
    session_id: string;
    user_id: string;
    /** The session is not opened if the password has changed since this version. */
    password_version: number;
    /** Replaces the stored hash of the same password, if defined. */
    upgradedHash: string | undefined;
    refresh_id: string;
    now: string;
    expires_at: string;
}

interface Rotation {
    session_id: string;
    spentId: string;
    refresh_id: string;
    now: string;
    expires_at: string;
    /** Refresh tokens spent before this time are removed. */
    forgetBefore: string;
}

interface SessionEnd {
    session_id: string;
    now: string;
    cause: Cause;
}

export interface SessionStore {
    /**
     * Resolves to true if it changed the password. The change ends all other sessions of the account; `beforeCommit`
     * receives their ids.
     */
    changePassword(
        change: PasswordChange,
        beforeCommit: (ended: string[]) => Promise<void>,
        lifetime?: CallLifetime,
    ): Promise<boolean>;
    /**
     * Returns the account with its new last_login_at; undefined if the password has changed since `password_version`, or
     * the account is suspended.
     */
    openSession(session: NewSession, lifetime?: CallLifetime): Promise<UserRow | undefined>;
    /**
     * Returns the sessions of the account beyond the `keep` that it may have. Open sessions are kept before ended ones,
     * and newer ones before older ones.
     */
    findSurplus(
        target: { user_id: string; keep: number; now: string },
        lifetime?: CallLifetime,
    ): Promise<ReadonlyArray<z.infer<typeof surplusRow>>>;
    /** Removes sessions. Their tokens are then refused like those of an ended session. */
    forgetSessions(sessionIds: readonly string[], lifetime?: CallLifetime): Promise<void>;
    countOpen(target: { user_id: string; now: string }, lifetime?: CallLifetime): Promise<number>;
    findSession: Coalescer<string, SessionRow | undefined>;
    findRefresh(
        target: { session_id: string; refresh_id: string },
        lifetime?: CallLifetime,
    ): Promise<RefreshRow | undefined>;
    /** If several callers pass the same `spentId`, exactly one of them gets true. */
    rotate(rotation: Rotation, lifetime?: CallLifetime): Promise<boolean>;
    /** Ends the session. Returns when it ended, now or earlier; undefined if the session does not exist. */
    endSession(target: SessionEnd, lifetime?: CallLifetime): Promise<string | undefined>;
}

export function sessionStore(db: Database): SessionStore {
    return {
        changePassword: (change, beforeCommit, lifetime) => changePassword(db, change, beforeCommit, lifetime),
        openSession: (session, lifetime) => openSession(db, session, lifetime),
        async findSurplus({ user_id, keep, now }, lifetime) {
            const statement = sql.type(surplusRow)`
                SELECT session_id, ${isOpen(now)} AS is_open FROM identity.sessions WHERE user_id = ${user_id}
                ORDER BY is_open DESC, created_at DESC, session_id DESC OFFSET ${keep}`;
            return db.prepared('session_surplus', statement, lifetime);
        },
        async forgetSessions(sessionIds, lifetime) {
            const statement = sql.unsafe`
                DELETE FROM identity.sessions WHERE session_id = ANY(${sql.array([...sessionIds], 'uuid')})`;
            await db.rows(statement, 'sessions_forget', lifetime);
        },
        async countOpen({ user_id, now }, lifetime) {
            const statement = sql.type(countRow)`
                SELECT count(*) AS total FROM identity.sessions WHERE user_id = ${user_id} AND ${isOpen(now)}`;
            const [row] = await db.rows(statement, 'session_count', lifetime);
            return row?.total ?? 0;
        },
        findSession: rowLookup(db, {
            name: 'session_find',
            statement: 'sessions_find',
            keyOf: ({ session_id }) => session_id,
            query: (ids: string[]) => sql.type(sessionRow)`
                SELECT s.session_id, s.expires_at, ${USER_COLUMNS}
                FROM identity.sessions s JOIN identity.users u USING (user_id)
                WHERE s.session_id = ANY(${sql.array(ids, 'uuid')}) AND s.ended_at IS NULL`,
        }),
        findRefresh: (target, lifetime) => findRefresh(db, target, lifetime),
        rotate: (rotation, lifetime) => rotate(db, rotation, lifetime),
        endSession: (target, lifetime) => endSession(db, target, lifetime),
    };
}

function isOpen(now: string) {
    return sql.fragment`(ended_at IS NULL AND expires_at > ${now}::timestamptz)`;
}

async function openSession(db: Database, session: NewSession, call?: CallLifetime): Promise<UserRow | undefined> {
    const opened = sql.fragment`
        INSERT INTO identity.sessions (session_id, user_id, refresh_id, created_at, expires_at)
        SELECT ${session.session_id}::uuid, user_id, ${session.refresh_id}::uuid, ${session.now}::timestamptz,
               ${session.expires_at}::timestamptz
        FROM written`;
    const [row] = await changeRows(db, {
        name: 'session_open',
        call,
        change: sql.fragment`
            UPDATE identity.users AS u
            SET last_login_at = ${session.now}, password_hash = coalesce(${session.upgradedHash ?? null}, password_hash)
            WHERE user_id = ${session.user_id} AND password_version = ${session.password_version}
              AND suspended_at IS NULL
            RETURNING ${USER_COLUMNS}`,
        row: userRow,
        columns: { user_id: 'uuid' },
        appended: [opened],
    });
    return row;
}

async function findRefresh(
    db: Database,
    { session_id, refresh_id }: { session_id: string; refresh_id: string },
    lifetime?: CallLifetime,
): Promise<RefreshRow | undefined> {
    const statement = sql.type(refreshRow)`
        SELECT s.session_id, s.expires_at, s.refresh_id, ${USER_COLUMNS}, spent.spent_at
        FROM identity.sessions s
        JOIN identity.users u USING (user_id)
        LEFT JOIN identity.spent_refreshes spent
               ON spent.session_id = s.session_id AND spent.refresh_id = ${refresh_id}
        WHERE s.session_id = ${session_id} AND s.ended_at IS NULL`;
    const [row] = await db.rows(statement, 'refresh_find', lifetime);
    return row;
}

async function rotate(db: Database, rotation: Rotation, call?: CallLifetime): Promise<boolean> {
    const forgotten = sql.fragment`
        DELETE FROM identity.spent_refreshes
        WHERE session_id IN (SELECT session_id FROM written) AND spent_at < ${rotation.forgetBefore}`;
    const spent = sql.fragment`
        INSERT INTO identity.spent_refreshes (session_id, refresh_id, spent_at)
        SELECT session_id, ${rotation.spentId}::uuid, ${rotation.now}::timestamptz FROM written`;
    const rotated = await changeRows(db, {
        name: 'refresh_rotate',
        call,
        change: sql.fragment`
            UPDATE identity.sessions
            SET refresh_id = ${rotation.refresh_id}, expires_at = greatest(expires_at, ${rotation.expires_at})
            WHERE session_id = ${rotation.session_id} AND refresh_id = ${rotation.spentId} AND ended_at IS NULL
            RETURNING session_id`,
        row: rotatedRow,
        columns: { session_id: 'uuid' },
        appended: [forgotten, spent],
    });
    return rotated.length === 1;
}

async function endSession(
    db: Database,
    { session_id, now, cause }: SessionEnd,
    call?: CallLifetime,
): Promise<string | undefined> {
    const data = sql.fragment`'session_id', session_id`;
    const ended = await changeRows(db, {
        name: 'session_end',
        call,
        change: sql.fragment`
            UPDATE identity.sessions SET ended_at = ${now} WHERE session_id = ${session_id} AND ended_at IS NULL
            RETURNING user_id AS account, session_id, ended_at`,
        row: endedSessionRow,
        columns: { account: 'uuid', session_id: 'uuid' },
        appended: [appendEvents('identity', 'session.ended', { data, causes: cause })],
    });
    const [row] = ended.length > 0 ? ended : await endOf(db, session_id, call);
    return row?.ended_at;
}

/** When a session ended that has ended earlier. */
function endOf(db: Database, sessionId: string, lifetime?: CallLifetime) {
    const statement = sql.type(endedRow)`
        SELECT ended_at FROM identity.sessions WHERE session_id = ${sessionId} AND ended_at IS NOT NULL`;
    return db.rows(statement, 'session_end_find', lifetime);
}
