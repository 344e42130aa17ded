import { z } from 'zod';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedRows } from '../../../platform/postgres/prune.ts';
import { appendUserCounts } from '../../counts/pending.store.ts';
import { type Cause, causeOf, OWN_CAUSE } from '../../outbox/cause.ts';
import { appendOwnEvents } from '../../outbox/outbox.store.ts';

export interface DecidedErasure {
    user_id: string;
    /** The version of the password that the caller has given. If the password has changed since, the call decides nothing. */
    password_version: number;
    now: string;
}

const lockedRow = z.strictObject({ user_id: z.string() });
const sessionRow = z.strictObject({ session_id: z.string(), is_open: z.boolean() });
const dueRow = z.strictObject({ account: z.string() });
const ageRow = z.strictObject({ age_ms: z.number().nullable() });
const finishedRow = z.strictObject({ actor: z.string().nullable() });

/**
 * Notes that an account must be erased: from here on the job ends what a call has begun. An earlier note stays as it is.
 * Returns false if the password has changed meanwhile, or the account does not exist.
 */
export function decideErasure(
    db: Database,
    { user_id, password_version, now }: DecidedErasure,
    lifetime?: CallLifetime,
): Promise<boolean> {
    const [actor] = causeOf(lifetime, user_id);
    const work = async (transaction: Queries): Promise<boolean> => {
        const locked = await transaction.rows(sql.type(lockedRow)`
            SELECT user_id FROM identity.users
            WHERE user_id = ${user_id} AND password_version = ${password_version} FOR UPDATE`);
        if (locked.length === 0) return false;
        await transaction.rows(sql.unsafe`
            INSERT INTO identity.erasures (account, requested_at, actor) VALUES (${user_id}, ${now}, ${actor})
            ON CONFLICT DO NOTHING`);
        return true;
    };
    return db.transaction(work, 'erasure_decide', lifetime);
}

/**
 * Removes an account whose erasure is decided, with its sessions, in one transaction. `beforeCommit` receives the ids of the
 * sessions that were open; if it rejects, nothing is changed. Returns false if the account does not exist.
 */
export function removeAccount(
    db: Database,
    { user_id, now }: Pick<DecidedErasure, 'user_id' | 'now'>,
    beforeCommit: (sessions: string[]) => Promise<void>,
    lifetime?: CallLifetime,
): Promise<boolean> {
    const work = async (transaction: Queries): Promise<boolean> => {
        // From here on no login opens a further session.
        const locked = await transaction.rows(sql.type(lockedRow)`
            SELECT user_id FROM identity.users WHERE user_id = ${user_id} FOR UPDATE`);
        const sessions = await removeSessions(transaction, user_id);
        await transaction.rows(sql.unsafe`
            WITH written AS (DELETE FROM identity.users WHERE user_id = ${user_id} RETURNING tier),
            noted AS (UPDATE identity.erasures SET ended_at = ${now} WHERE account = ${user_id} AND ended_at IS NULL)
            ${appendUserCounts(sql.fragment`-count(*)`)}`);
        await beforeCommit(sessions);
        return locked.length > 0;
    };
    return db.transaction(work, 'account_remove', lifetime);
}

/** Returns the ids of those that were open. */
async function removeSessions({ rows }: Queries, userId: string): Promise<string[]> {
    const open: string[] = [];
    const sessions = erasedRows(
        { table: ['identity', 'sessions'], key: 'session_id' },
        sql.fragment`user_id = ${userId}`,
    );
    for (;;) {
        const removed = await rows(sql.type(sessionRow)`
            ${sessions} RETURNING session_id, ended_at IS NULL AS is_open`);
        open.push(...removed.filter(({ is_open }) => is_open).map(({ session_id }) => session_id));
        if (removed.length < ERASED_ROWS) return open;
    }
}

/**
 * Returns up to `limit` accounts whose erasure is not finished, and has reached a step `afterMs` ago or earlier: it was
 * `requested` and the account has not ended since, or the account has `ended`. Oldest requests come first, unless `newest`.
 */
export async function dueErasures(
    db: Database,
    {
        step,
        afterMs,
        limit,
        newest = false,
    }: { step: 'requested' | 'ended'; afterMs: number; limit: number; newest?: boolean },
): Promise<string[]> {
    const reached = sql.fragment`<= now() - ${afterMs} * interval '1 millisecond'`;
    const isDue =
        step === 'requested'
            ? sql.fragment`ended_at IS NULL AND requested_at ${reached}`
            : sql.fragment`ended_at ${reached}`;
    const rows = await db.rows(sql.type(dueRow)`
        SELECT account FROM identity.erasures WHERE finished_at IS NULL AND ${isDue}
        ORDER BY requested_at ${newest ? sql.fragment`DESC` : sql.fragment``} LIMIT ${limit}`);
    return rows.map(({ account }) => account);
}

/** How long ago the oldest erasure was requested that is not finished, in milliseconds; 0 if all are finished. */
export async function oldestErasureAge(db: Database): Promise<number> {
    const [row] = await db.rows(sql.type(ageRow)`
        SELECT (extract(epoch FROM clock_timestamp() - min(requested_at)) * 1000)::bigint AS age_ms
        FROM identity.erasures WHERE finished_at IS NULL`);
    return Math.max(0, row?.age_ms ?? 0);
}

/** Notes that nothing of the account is left, and publishes this once. */
export function finishErasure(db: Database, account: string): Promise<void> {
    return db.transaction(async (transaction) => {
        const [finished] = await transaction.rows(sql.type(finishedRow)`
            UPDATE identity.erasures SET finished_at = now() WHERE account = ${account} AND finished_at IS NULL
            RETURNING actor`);
        if (!finished) return;
        const cause: Cause = finished.actor === null ? OWN_CAUSE : [finished.actor];
        await appendOwnEvents(transaction, 'identity', { account, type: 'account.erased', data: [{}], cause });
    }, 'erasure_finish');
}
