import { isMigrated, type SchemaMigrations, SchemaTooNew } from '../postgres/migrate.ts';
import { StartError } from '../start-error.ts';
import type { Log } from '../telemetry/log.ts';
import { retry } from './retry.ts';
import { preflightRights, type Use } from './rights.ts';

/**
 * Waits for the database and for its migrations. Throws SchemaTooNew if the schema is from a later release than the
 * program, and StartError if the role lacks a right for one of the uses.
 */
export async function awaitMigrations(
    url: string,
    { schemas, uses, log }: { schemas: readonly SchemaMigrations[]; uses: readonly Use[]; log: Log },
): Promise<void> {
    const attempt = async () => {
        if (!(await isMigratedFor(url, schemas, uses))) throw new Error('its migrations are not applied yet');
    };
    const giveUp = (failure: unknown) => {
        if (failure instanceof SchemaTooNew || failure instanceof StartError) throw failure;
    };
    await retry(attempt, { log, giveUp });
}

/** True if all tables exist and can be used. Looks at the rights after a failure too, because they may explain it. */
async function isMigratedFor(
    url: string,
    schemas: readonly SchemaMigrations[],
    uses: readonly Use[],
): Promise<boolean> {
    try {
        if (!(await isMigrated(url, schemas))) return false;
    } catch (error) {
        if (!(error instanceof SchemaTooNew)) await preflightRights(url, uses);
        throw error;
    }
    await preflightRights(url, uses);
    return true;
}
