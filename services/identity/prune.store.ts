import { type Database, sql } from '../../platform/db.ts';

/** Rows removed by one statement: bounds its locks and its time. */
const PRUNE_ROWS = 10_000;

/** Removes sessions of which every token has expired, and with them their spent refresh tokens. Returns how many. */
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
