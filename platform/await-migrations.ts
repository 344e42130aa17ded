import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from './log.ts';
import { isMigrated, type SchemaMigrations, SchemaTooNew } from './migrate.ts';

const RETRY_MS = 500;

/** The program waits for its database and for the migrations; it does not work on a schema from after its time. */
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
