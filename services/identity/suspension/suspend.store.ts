import { z } from 'zod';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, type Queries, sql } from '../../../platform/postgres/db.ts';
import { causeOf } from '../../outbox/cause.ts';
import { appendOwnEvents } from '../../outbox/outbox.store.ts';

export interface SuspensionChange {
    user_id: string;
    suspended: boolean;
    reason: string | undefined;
    now: string;
}

const accountRow = z.strictObject({
    user_id: z.string(),
    suspended_at: z.string().nullable(),
    suspension_reason: z.string().nullable(),
    suspension_version: z.number(),
});
const beforeRow = z.strictObject({ was_suspended: z.boolean() });
const sessionRow = z.strictObject({ session_id: z.string() });

export interface SuspensionRow extends z.infer<typeof accountRow> {
    /** The open sessions of an account that is suspended. */
    sessions: readonly string[];
}

/**
 * Suspends an account, or restores it. A suspended one keeps its time and its reason. Undefined: there is no such
 * account. A login either has opened its session before, which is then among the sessions, or finds the account suspended.
 */
export function setSuspension(
    db: Database,
    { user_id, suspended, reason, now }: SuspensionChange,
    lifetime?: CallLifetime,
): Promise<SuspensionRow | undefined> {
    const since = suspended ? sql.fragment`coalesce(suspended_at, ${now})` : sql.fragment`NULL`;
    const why = suspended
        ? sql.fragment`CASE WHEN suspended_at IS NULL THEN ${reason ?? null} ELSE suspension_reason END`
        : sql.fragment`NULL`;
    const work = async (transaction: Queries): Promise<SuspensionRow | undefined> => {
        const [before] = await transaction.rows(sql.type(beforeRow)`
            SELECT suspended_at IS NOT NULL AS was_suspended FROM identity.users WHERE user_id = ${user_id} FOR UPDATE`);
        const [account] = await transaction.rows(sql.type(accountRow)`
            UPDATE identity.users
            SET suspended_at = ${since}, suspension_reason = ${why}, suspension_version = suspension_version + 1
            WHERE user_id = ${user_id}
            RETURNING user_id, suspended_at, suspension_reason, suspension_version`);
        if (before && before.was_suspended !== suspended) {
            const type = suspended ? 'user.suspended' : 'user.restored';
            const cause = causeOf(lifetime, user_id);
            await appendOwnEvents(transaction, 'identity', { account: user_id, type, data: [{}], cause });
        }
        if (!account || !suspended) return account && { ...account, sessions: [] };
        const open = await transaction.rows(sql.type(sessionRow)`
            SELECT session_id FROM identity.sessions WHERE user_id = ${user_id} AND ended_at IS NULL`);
        return { ...account, sessions: open.map(({ session_id }) => session_id) };
    };
    return db.transaction(work, 'user_suspend', lifetime);
}
