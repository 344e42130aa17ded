import { type Database, sql } from '../../platform/postgres/db.ts';

/** Maximum number of rows that one statement removes. It bounds the locks and the duration of the statement. */
const PRUNE_ROWS = 10_000;

/** Removes sessions whose tokens have all expired, with their spent refresh tokens. Returns how many it removed. */
export async function pruneSessions(db: Database): Promise<number> {
    let removed = 0;
    for (;;) {
        const rows = await db.rows(sql.unsafe`
            DELETE FROM identity.sessions WHERE session_id IN (
                SELECT session_id FROM identity.sessions WHERE expires_at < now() LIMIT ${PRUNE_ROWS} FOR UPDATE SKIP LOCKED)
            RETURNING 1`);
        if (rows.length === 0) return removed;
        removed += rows.length;
    }
}
