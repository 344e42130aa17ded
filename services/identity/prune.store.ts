import { type Database, sql } from '../../platform/postgres/db.ts';
import { pruneByTime } from '../../platform/postgres/prune.ts';

/** Removes sessions whose tokens have all expired, with their spent refresh tokens. Returns how many it removed. */
export function pruneSessions(db: Database): Promise<number> {
    const before = sql.fragment`now()`;
    return pruneByTime(db, { table: ['identity', 'sessions'], key: 'session_id', time: 'expires_at', before });
}
