import { z } from 'zod';
import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { causeOf } from '../outbox/cause.ts';
import { appendOwnEvents } from '../outbox/outbox.store.ts';

export interface PasswordChange {
    user_id: string;
    /** The password stays as it is if it has changed since this version. */
    password_version: number;
    password_hash: string;
    /** The session that stays open. */
    keptSession: string | undefined;
    now: string;
}

const endedRow = z.strictObject({ session_id: z.string() });

/**
 * Changes the password and ends the other sessions of the account in one transaction. Returns false if the password has
 * changed meanwhile.
 */
export async function changePassword(
    db: Database,
    { user_id, password_version, password_hash, keptSession, now }: PasswordChange,
    beforeCommit: (ended: string[]) => Promise<void>,
    lifetime?: CallLifetime,
): Promise<boolean> {
    const work = async (transaction: Queries): Promise<boolean> => {
        const changed = await transaction.rows(sql.unsafe`
            UPDATE identity.users SET password_hash = ${password_hash}, password_version = password_version + 1
            WHERE user_id = ${user_id} AND password_version = ${password_version}
            RETURNING user_id`);
        if (changed.length === 0) return false;
        // A separate statement, so that it sees each session that the old password has opened. After the first
        // statement the old password can open no more sessions.
        const ended = await transaction.rows(sql.type(endedRow)`
            UPDATE identity.sessions SET ended_at = ${now}
            WHERE user_id = ${user_id} AND session_id IS DISTINCT FROM ${keptSession ?? null} AND ended_at IS NULL
            RETURNING session_id`);
        const cause = causeOf(lifetime, user_id);
        const data = [...ended];
        await appendOwnEvents(transaction, 'identity', { account: user_id, type: 'session.ended', data, cause });
        await beforeCommit(ended.map((session) => session.session_id));
        return true;
    };
    return db.transaction(work, 'password_change', lifetime);
}
