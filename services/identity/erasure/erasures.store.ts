import { z } from 'zod';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { ERASED_ROWS, erasedRows } from '../../../platform/postgres/prune.ts';
import { appendUserCounts } from '../../counts/pending.store.ts';
import { type Cause, causeOf, OWN_CAUSE } from '../../outbox/cause.ts';
import { appendOwnEvents } from '../../outbox/outbox.store.ts';

export interface AccountDeletion {
    user_id: string;
    now: string;
}

const lockedRow = z.strictObject({ user_id: z.string() });
const sessionRow = z.strictObject({ session_id: z.string(), is_open: z.boolean() });
const dueRow = z.strictObject({ account: z.string() });
const finishedRow = z.strictObject({ actor: z.string().nullable() });

/**
 * Removes an account with its sessions, and notes that everything else must be erased, in one transaction. `beforeCommit`
 * receives the ids of the sessions that were open; if it rejects, nothing is changed. Returns false if the account does not
 * exist.
 */
export function deleteAccount(
    db: Database,
    { user_id, now }: AccountDeletion,
    beforeCommit: (sessions: string[]) => Promise<void>,
    lifetime?: CallLifetime,
): Promise<boolean> {
    const work = async (transaction: Queries): Promise<boolean> => {
        // From here on no login opens a further session.
        const locked = await transaction.rows(sql.type(lockedRow)`
            SELECT user_id FROM identity.users WHERE user_id = ${user_id} FOR UPDATE`);
        if (locked.length === 0) return false;
        const [actor] = causeOf(lifetime, user_id);
        const sessions = await removeSessions(transaction, user_id);
        await transaction.rows(sql.unsafe`
            WITH written AS (DELETE FROM identity.users WHERE user_id = ${user_id} RETURNING tier),
            noted AS (INSERT INTO identity.erasures (account, requested_at, actor) VALUES (${user_id}, ${now}, ${actor}))
            ${appendUserCounts(sql.fragment`-count(*)`)}`);
        await beforeCommit(sessions);
        return true;
    };
    return db.transaction(work, 'account_delete', lifetime);
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

/** Returns up to `limit` accounts whose erasure is not finished, and was requested `afterMs` ago or earlier, oldest first. */
export async function dueErasures(
    db: Database,
    { afterMs, limit }: { afterMs: number; limit: number },
): Promise<string[]> {
    const rows = await db.rows(sql.type(dueRow)`
        SELECT account FROM identity.erasures
        WHERE finished_at IS NULL AND requested_at <= now() - ${afterMs} * interval '1 millisecond'
        ORDER BY requested_at LIMIT ${limit}`);
    return rows.map(({ account }) => account);
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
