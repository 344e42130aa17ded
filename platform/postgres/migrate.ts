import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Log } from '../telemetry/log.ts';
import { inMigrationTransaction } from './migration-transaction.ts';
import { inPartSchema, type PartSchema } from './part-schema.ts';
import { LOOK_TIMEOUT_MS, withSession } from './session.ts';

/**
 * The migrations of one schema: SQL files, each of which runs once, in the order of their names. A release may add
 * files but not remove them. A program works with a schema that has migrations it does not know, unless one of them
 * names a migration that the program must know, in a line such as `-- requires 012_switch.sql`.
 */
export interface SchemaMigrations {
    schema: string;
    folder: string;
    /** The schema is that of a part, and the files name that of the service. */
    part?: PartSchema;
}

const REQUIRES = /^-- requires (\S+\.sql)$/m;
/**
 * This line marks a file with one statement that changes a bounded number of rows. The statement is repeated until it
 * changes none.
 */
const IN_BATCHES = /^-- in batches$/m;

/** A later release has removed something from the database that this program needs. */
export class SchemaTooNew extends Error {}

/** One file of a schema. */
interface Migration {
    schema: string;
    name: string;
    statements: string;
}

/**
 * Brings every schema up to date, each file in its own transaction. So the locks of one file are released before the
 * next file runs, and applied files stay applied when a later one fails. If several runners run at once, one of them
 * applies each file. Returns the names of the files that this runner has applied.
 */
export async function migrate(
    databaseUrl: string,
    { schemas, log }: { schemas: readonly SchemaMigrations[]; log: Log },
): Promise<string[]> {
    return withSession(databaseUrl, {}, async (client) => {
        const applied: string[] = [];
        await inMigrationTransaction({ client, name: 'schemas', log }, () => prepare(client, schemas));
        for (const { schema, folder, part } of schemas) {
            for (const name of migrationsIn(folder)) {
                const text = readFileSync(join(folder, name), 'utf8');
                const migration = { schema, name, statements: part ? inPartSchema(part)(text) : text };
                let step: Step;
                do {
                    step = await inMigrationTransaction({ client, name, log }, () => apply(client, migration));
                } while (step === 'unfinished');
                if (step === 'applied') applied.push(`${schema}/${name}`);
            }
        }
        return applied;
    });
}

async function prepare(client: Client, schemas: readonly SchemaMigrations[]): Promise<void> {
    await client.query(
        `CREATE TABLE IF NOT EXISTS public.migrations (
             schema text NOT NULL,
             name text NOT NULL,
             applied_at timestamptz NOT NULL DEFAULT now(),
             PRIMARY KEY (schema, name)
         )`,
    );
    await client.query('ALTER TABLE public.migrations ADD COLUMN IF NOT EXISTS requires text');
    for (const { schema } of schemas) await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
}

/** known: the file was applied before. unfinished: the file runs in batches, and more rows are left. */
type Step = 'known' | 'applied' | 'unfinished';

async function apply(client: Client, { schema, name, statements }: Migration): Promise<Step> {
    if ((await appliedIn(client, schema)).has(name)) return 'known';
    const { rowCount } = await client.query(statements);
    if (IN_BATCHES.test(statements)) {
        // PostgreSQL counts no rows for DDL, and pg reports none for several statements together.
        if (typeof rowCount !== 'number')
            throw new Error(`${schema}/${name} runs in batches, but is not one statement that changes rows.`);
        if (rowCount > 0) return 'unfinished';
    }
    await client.query('INSERT INTO public.migrations (schema, name, requires) VALUES ($1, $2, $3)', [
        schema,
        name,
        REQUIRES.exec(statements)?.[1],
    ]);
    return 'applied';
}

/**
 * True if the database has all migrations that this program knows; it may have more. Throws SchemaTooNew if one of
 * those removes something that the program needs.
 */
export async function isMigrated(databaseUrl: string, schemas: readonly SchemaMigrations[]): Promise<boolean> {
    return withSession(databaseUrl, { query_timeout: LOOK_TIMEOUT_MS }, async (client) => {
        const { rows } = await client.query<{ present: boolean }>(
            `SELECT to_regclass('public.migrations') IS NOT NULL AS present`,
        );
        if (!rows[0]?.present) return false;
        let complete = true;
        for (const { schema, folder } of schemas) {
            const known = migrationsIn(folder);
            const done = await appliedIn(client, schema);
            for (const [name, requires] of done) {
                if (requires === null || known.includes(requires)) continue;
                throw new SchemaTooNew(
                    `The database has ${schema}/${name}, which needs a program that has ${requires}. Run a newer release.`,
                );
            }
            complete &&= known.every((name) => done.has(name));
        }
        return complete;
    });
}

function migrationsIn(folder: string): string[] {
    return readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .sort();
}

/** Returns the applied migrations, each with the migration that a program must know to work after it, or null. */
async function appliedIn(client: Client, schema: string): Promise<Map<string, string | null>> {
    const { rows } = await client.query<{ name: string; requires: string | null }>(
        'SELECT name, requires FROM public.migrations WHERE schema = $1',
        [schema],
    );
    return new Map(rows.map(({ name, requires }) => [name, requires]));
}
