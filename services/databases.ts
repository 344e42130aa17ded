import { connectionTo } from '../platform/postgres/database-url.ts';
import { type Database, databaseOpener } from '../platform/postgres/db.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { partSchemaOf } from '../platform/postgres/part-schema.ts';
import { awaitMigrations } from '../platform/preflight/await-migrations.ts';
import { inStep } from '../platform/preflight/fatal.ts';
import { awaitPostgres } from '../platform/preflight/postgres.ts';
import { type Config, databaseUrls } from '../platform/process/config.ts';
import type { Log } from '../platform/telemetry/log.ts';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import type { Readiness } from '../platform/telemetry/readiness.ts';
import { within } from '../platform/within.ts';
import { SERVICE_ROLES, type ServiceRole } from '../proto/services.ts';
import { COUNTING } from './counts/pending.store.ts';
import { arrangeParts, refuseToLeave } from './credentials/parts/parts.store.ts';
import { schemasOf } from './schemas.ts';
import { askedTable, tableUses } from './table-uses.ts';

/** How long the migrations wait for a database that starts, in milliseconds. Beyond it: the run fails with one line. */
const MIGRATE_WAIT_MS = 30_000;

/** Returns the databases with the schema of a role: one, or the parts of the credentials. */
export type DatabasesOf = (role: ServiceRole) => readonly [Database, ...Database[]];

/** The databases that a process with some roles uses. */
export interface Databases {
    databasesOf: DatabasesOf;
    /** The databases of its own roles, or the schemas in them if they are distributed, each with a name for operators. */
    own: ReadonlyArray<{ name: string; ping(): Promise<void> }>;
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
    const opened = Array.from(rolesByUrl(new Set([...roles, ...read]), config), async ([url, there]) => {
        const uses = tableUses({
            runs: there.filter((role) => roles.includes(role)),
            counts: there.filter((role) => read.includes(role)),
            part: partSchemaOf(url),
        });
        const facts = await awaitPostgres({ url, asOwner: false, log, timeoutMs: Infinity });
        await awaitMigrations(url, { schemas: schemasOf(url), uses, log });
        const database = await open(url, facts);
        closing.defer(() => database.close());
        return [url, database] as const;
    });
    const byUrl = new Map(await Promise.all(opened));
    const databasesOf: DatabasesOf = (role) => {
        const databases = databaseUrls(config, role).flatMap((url) => byUrl.get(url) ?? []);
        if (databases.length === 0) throw new Error(`This process has not opened the database of ${role}.`);
        return databases as [Database, ...Database[]];
    };
    const own = Array.from(rolesByUrl(roles, config), ([url, there]) =>
        checksOf({ name: nameOf(url), database: byUrl.get(url) as Database, roles: there }),
    ).flat();
    return { databasesOf, own };
}

/** A database whose schemas may be on several nodes answers for each of them alone. */
function checksOf({ name, database, roles }: { name: string; database: Database; roles: readonly ServiceRole[] }) {
    if (!database.distributed) return [{ name, ping: () => database.ping() }];
    const only = roles.length === 1;
    return roles.map((role) => ({
        name: only ? name : `${name}/${role}`,
        ping: () => database.ping(askedTable(role)),
    }));
}

/** Migrates the databases of all roles. Each database gets all schemas: those of roles that have another one stay empty. */
export async function migrateDatabases(config: Config, log: Log): Promise<void> {
    for (const url of new Set(SERVICE_ROLES.flatMap((role) => databaseUrls(config, role)))) {
        await awaitPostgres({ url, asOwner: true, log, timeoutMs: MIGRATE_WAIT_MS });
        const applied = await inStep('migrations', () => migrate(url, { schemas: schemasOf(url), log }));
        log.info({ applied }, 'migrated');
    }
    await inStep('migrations', () => arrangeCredentialParts(config));
}

/** Records which parts of the credentials the databases are, when the migrations have run. */
async function arrangeCredentialParts(config: Config): Promise<void> {
    const metrics = createMetrics(); // of a process that ends, so nobody reads them
    const open = databaseOpener({ size: 1, pooled: false, metrics });
    const own = databaseUrls(config, 'credentials');
    const elsewhere = SERVICE_ROLES.flatMap((role) => databaseUrls(config, role)).filter((url) => !own.includes(url));
    const databases: Database[] = [];
    const others: Database[] = [];
    try {
        for (const url of own) databases.push(await open(url));
        for (const url of new Set(elsewhere)) others.push(await open(url));
        await refuseToLeave(others, databases[0] as Database); // the setting has at least one
        await arrangeParts(databases);
    } finally {
        await Promise.all([...databases, ...others].map((database) => database.close()));
    }
}

/** Names a database without the secrets in its URL. */
function nameOf(url: string): string {
    const { host, port, database } = connectionTo(url);
    const part = partSchemaOf(url);
    return `${host}:${port}/${database}${part ? `/${part.schema}` : ''}`;
}

/** Time limit for a database to answer a scrape, in milliseconds. Beyond it: it counts as away. */
const ANSWER_MS = 1_000;

/** Exports for each of a process's own databases whether it answers. */
export function exposeDatabases(metrics: Metrics, own: Databases['own']): void {
    metrics.collect(
        {
            type: 'gauge',
            name: 'database_answers',
            help: 'Whether a database answers this process: 1 or 0.',
            labels: ['database'],
        },
        () =>
            Promise.all(
                own.map(async ({ name, ping }) => {
                    const answers = await within(
                        ANSWER_MS,
                        ping().then(() => 1),
                    ).catch(() => 0);
                    return { labels: { database: name }, value: answers ?? 0 };
                }),
            ),
    );
}

/**
 * Adds the checks of a process's own databases. A process with several is ready while one of them answers: calls that need
 * another are answered with 503, and the others go on.
 */
export function watchDatabases(own: Databases['own'], { addCheck }: Pick<Readiness, 'addCheck'>): void {
    const [only] = own;
    if (only && own.length === 1) {
        addCheck('database', () => only.ping());
        return;
    }
    addCheck('databases', () =>
        Promise.any(own.map(({ ping }) => ping())).catch(({ errors: [first] }: AggregateError) => {
            throw first;
        }),
    );
    for (const { name, ping } of own) addCheck(`database ${name}`, ping, { required: false });
}

function rolesByUrl(roles: Iterable<ServiceRole>, config: Config): Map<string, ServiceRole[]> {
    const byUrl = new Map<string, ServiceRole[]>();
    for (const role of roles)
        for (const url of databaseUrls(config, role)) byUrl.set(url, [...(byUrl.get(url) ?? []), role]);
    return byUrl;
}
