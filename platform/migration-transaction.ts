import { setTimeout as delay } from 'node:timers/promises';
import { type Client, DatabaseError } from 'pg';
import type { Log } from './log.ts';

/** The advisory lock that runners queue on ("cred" in ASCII). */
const LOCK = 0x63726564;

/**
 * What a migration waits for a table, in milliseconds: behind a lock that waits, every later statement on the table waits too,
 * and theirs end after 8 s.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** The pauses in which others go on, in milliseconds: the first, and the longest after it was doubled each time. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 4_000;
/** How long a lock is tried for before the run fails, in milliseconds. */
const PATIENCE_MS = 120_000;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `work` in a transaction that no other runner's is beside. Where a lock is not to be had in time it is rolled back, and
 * begun again after a pause. Nothing of it is of the session, so that it may go through a pooler.
 */
export async function inMigrationTransaction<Result>(
    { client, name, log }: { client: Client; name: string; log: Log },
    work: () => Promise<Result>,
): Promise<Result> {
    const give_up = performance.now() + PATIENCE_MS;
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
        try {
            // The role's own limits are those of requests.
            await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
            await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
            await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
            const result = await work();
            await client.query('COMMIT');
            return result;
        } catch (error) {
            await client.query('ROLLBACK').catch(() => {}); // a lost connection has done so
            const waited = error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
            if (!waited || performance.now() > give_up) throw error;
            log.warn({ migration: name, err: error }, 'what the migration changes is in use: it is tried again');
        }
        await delay(pause);
    }
}
