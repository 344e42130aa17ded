import { z } from 'zod';
import type { CallLifetime } from '../../../platform/context.ts';
import { type Database, sql } from '../../../platform/postgres/db.ts';
import { LAST_ID } from '../../account-pages.store.ts';

const listedSession = z.strictObject({
    session_id: z.string(),
    created_at: z.string(),
    expires_at: z.string(),
    ended_at: z.string().nullable(),
});
export type ListedSession = z.infer<typeof listedSession>;

export interface SessionPage {
    user_id: string;
    before: string | undefined;
    limit: number;
}

/**
 * Returns up to `limit` sessions of an account below the id `before`, newest first. It sorts all sessions of the account,
 * which are few (QUOTA_SESSIONS).
 */
export function listSessions(
    db: Database,
    { user_id, before = LAST_ID, limit }: SessionPage,
    lifetime?: CallLifetime,
): Promise<readonly ListedSession[]> {
    const statement = sql.type(listedSession)`
        WITH own AS MATERIALIZED (
            SELECT session_id, created_at, expires_at, ended_at FROM identity.sessions WHERE user_id = ${user_id}
        )
        SELECT session_id, created_at, expires_at, ended_at FROM own WHERE session_id < ${before}
        ORDER BY session_id DESC LIMIT ${limit}`;
    return db.rows(statement, 'session_list', lifetime);
}
