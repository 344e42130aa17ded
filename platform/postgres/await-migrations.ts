import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import { isMigrated, type SchemaMigrations, SchemaTooNew } from './migrate.ts';

/** Pause between attempts, in milliseconds. */
const RETRY_MS = 500;

/**
 * Waits for the database and for its migrations. Throws SchemaTooNew if the schema is from a later release than the
 * program.
 */
export async function awaitMigrations(url: string, schemas: readonly SchemaMigrations[], log: Log): Promise<void> {
    for (;;) {
        try {
            if (await isMigrated(url, schemas)) return;
            log.warn('waiting for the migrations');
        } catch (error) {
            if (error instanceof SchemaTooNew) throw error;
            log.warn({ err: error }, 'waiting for the database');
        }
        await delay(RETRY_MS);
    }
}
