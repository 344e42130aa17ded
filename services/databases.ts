import { type Database, databaseOpener } from '../platform/postgres/db.ts';
import { awaitMigrations } from '../platform/preflight/await-migrations.ts';
import { awaitPostgres } from '../platform/preflight/postgres.ts';
import { type Config, databaseUrl } from '../platform/process/config.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { ServiceRole } from '../proto/services.ts';
import { COUNTING } from './counts/pending.store.ts';
import { SCHEMAS } from './schemas.ts';
import { tableUses } from './table-uses.ts';

/** Returns the database with the schema of a role. */
export type DatabaseOf = (role: ServiceRole) => Database;

/** The databases that a process with some roles uses. */
export interface Databases {
    databaseOf: DatabaseOf;
    /** Resolves when each database of its own roles answers. */
    ping(): Promise<void>;
}

/**
 * Opens the databases of `roles`, and those whose counts they read: one pool for each URL. Waits until they can be
 * reached and are migrated.
 */
export async function roleDatabases(
    roles: readonly ServiceRole[],
    shared: { config: Config; log: Log; metrics: Metrics; closing: AsyncDisposableStack },
): Promise<Databases> {
    const { config, log, metrics, closing } = shared;
    const read: readonly ServiceRole[] = roles.includes('usage') ? COUNTING : [];
    const open = databaseOpener({
        size: config.DATABASE_POOL,
        pooled: config.DATABASE_POOLER === 'transaction',
        metrics,
        checkRows: config.NODE_ENV === 'test',
    });
    const byUrl = new Map<string, Database>();
    for (const [url, there] of Map.groupBy(new Set([...roles, ...read]), (role) => databaseUrl(config, role))) {
        const uses = tableUses({
            runs: there.filter((role) => roles.includes(role)),
            counts: there.filter((role) => read.includes(role)),
        });
        await awaitPostgres({ url, asOwner: false, log, timeoutMs: Infinity });
        await awaitMigrations(url, { schemas: SCHEMAS, uses, log });
        const database = await open(url);
        closing.defer(() => database.close());
        byUrl.set(url, database);
    }
    const databaseOf: DatabaseOf = (role) => {
        const database = byUrl.get(databaseUrl(config, role));
        if (!database) throw new Error(`This process has not opened the database of ${role}.`);
        return database;
    };
    const own = new Set(roles.map(databaseOf));
    return {
        databaseOf,
        async ping() {
            await Promise.all(Array.from(own, (database) => database.ping()));
        },
    };
}
