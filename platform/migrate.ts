import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/**
 * Where one schema's migrations are: SQL files that sort by name, each run once, only ever added to. Programs that do not know a
 * migration work on after it, unless its first line says which one they have to know: `-- requires 012_switch.sql`.
 */
export interface SchemaMigrations {
    schema: string;
    folder: string;
}

const REQUIRES = /^-- requires (\S+\.sql)$/m;

/** The advisory lock that runners queue on ("cred" in ASCII). */
const LOCK = 0x63726564;

/** A later release has taken from the database what this program works with. */
export class SchemaTooNew extends Error {}

/**
 * Brings every schema up to date in one transaction: of several runners at once one works and the others find nothing left to
 * do; one that is killed leaves nothing behind. Returns the names of what was applied.
 */
export async function migrate(database_url: string, schemas: readonly SchemaMigrations[]): Promise<string[]> {
    return withClient(database_url, async (client) => {
        await client.query('BEGIN');
        await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
        await client.query(
            `CREATE TABLE IF NOT EXISTS public.migrations (
                 schema text NOT NULL,
                 name text NOT NULL,
                 applied_at timestamptz NOT NULL DEFAULT now(),
                 PRIMARY KEY (schema, name)
             )`,
        );
        await client.query('ALTER TABLE public.migrations ADD COLUMN IF NOT EXISTS requires text');
        const applied: string[] = [];
        for (const { schema, folder } of schemas) {
            await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
            const done = await appliedIn(client, schema);
            for (const name of migrationsIn(folder)) {
                if (done.has(name)) continue;
                const statements = readFileSync(join(folder, name), 'utf8');
                await client.query(statements);
                await client.query('INSERT INTO public.migrations (schema, name, requires) VALUES ($1, $2, $3)', [
                    schema,
                    name,
                    REQUIRES.exec(statements)?.[1],
                ]);
                applied.push(`${schema}/${name}`);
            }
        }
        await client.query('COMMIT');
        return applied;
    });
}

/** Whether the database has all that this program knows; it may have more. Throws SchemaTooNew where that is too much. */
export async function isMigrated(database_url: string, schemas: readonly SchemaMigrations[]): Promise<boolean> {
    return withClient(database_url, async (client) => {
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
                    `The database has ${schema}/${name}, which programs without ${requires} cannot work with. Run a newer release.`,
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

/** What has been applied, each with the migration that a program must know to work after it. */
async function appliedIn(client: Client, schema: string): Promise<Map<string, string | null>> {
    const { rows } = await client.query<{ name: string; requires: string | null }>(
        'SELECT name, requires FROM public.migrations WHERE schema = $1',
        [schema],
    );
    return new Map(rows.map(({ name, requires }) => [name, requires]));
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {}); // a lost connection: whatever waits for an answer is told
    await client.connect();
    try {
        return await work(client);
    } finally {
        await client.end();
    }
}
