import { setTimeout as delay } from 'node:timers/promises';
import { type Client, DatabaseError } from 'pg';
import type { Log } from '../telemetry/log.ts';

/** The advisory lock that only one runner can hold ("cred" in ASCII). */
const LOCK = 0x63726564;

/**
 * Time limit for a migration's table lock, in milliseconds. While the migration waits, all later statements on the
 * table wait behind it, and those fail after 8 s. Beyond it: the migration pauses and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** The pause after the first attempt, in milliseconds. It doubles with each further attempt, up to MAX_PAUSE_MS. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 4_000;
/**
 * Time limit for getting the locks of one transaction, over all attempts, in milliseconds. Beyond it: the run fails and
 * changes nothing.
 */
const TIMEOUT_MS = 120_000;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `work` in a transaction that excludes all other runners. If a lock is not available in time, the transaction is
 * rolled back and repeated after a pause. It uses no session state, so it works through a pooler.
 */
export async function inMigrationTransaction<Result>(
    { client, name, log }: { client: Client; name: string; log: Log },
    work: () => Promise<Result>,
): Promise<Result> {
    const giveUp = performance.now() + TIMEOUT_MS;
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
        try {
            // The timeouts of the database role are meant for requests.
            await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
            await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
            await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
            const result = await work();
            await client.query('COMMIT');
            return result;
        } catch (error) {
            // It fails if the connection is lost. PostgreSQL has then rolled back by itself.
            await client.query('ROLLBACK').catch(() => {});
            const waited = error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
            if (!waited || performance.now() > giveUp) throw error;
            log.warn({ migration: name, err: error }, 'the migration could not get its lock: trying again');
        }
        await delay(pause);
    }
}
