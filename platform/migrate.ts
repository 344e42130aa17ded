import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** Where one schema's migrations are: SQL files that sort by name, each run once, only ever added to. */
export interface SchemaMigrations {
    schema: string;
    folder: string;
}

/** The advisory lock that runners queue on ("cred" in ASCII). */
const LOCK = 0x63726564;

/** The database is ahead of this program: another release has migrated it. */
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
        const applied: string[] = [];
        for (const { schema, folder } of schemas) {
            await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
            const done = await appliedIn(client, schema);
            for (const name of migrationsIn(folder)) {
                if (done.has(name)) continue;
                await client.query(readFileSync(join(folder, name), 'utf8'));
                await client.query('INSERT INTO public.migrations (schema, name) VALUES ($1, $2)', [schema, name]);
                applied.push(`${schema}/${name}`);
            }
        }
        await client.query('COMMIT');
        return applied;
    });
}

/** Whether the database is exactly at or behind this program (false: migrations are missing); throws SchemaTooNew. */
export async function isMigrated(database_url: string, schemas: readonly SchemaMigrations[]): Promise<boolean> {
    return withClient(database_url, async (client) => {
        const { rows } = await client.query<{ present: boolean }>(
            `SELECT to_regclass('public.migrations') IS NOT NULL AS present`,
        );
        if (!rows[0]?.present) return false;
        let complete = true;
        for (const { schema, folder } of schemas) {
            const known = new Set(migrationsIn(folder));
            const done = await appliedIn(client, schema);
            for (const name of done) {
                if (!known.has(name)) throw new SchemaTooNew(`The database has ${schema}/${name}, which is newer.`);
            }
            complete &&= done.size === known.size;
        }
        return complete;
    });
}

function migrationsIn(folder: string): string[] {
    return readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .sort();
}

async function appliedIn(client: Client, schema: string): Promise<Set<string>> {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM public.migrations WHERE schema = $1', [
        schema,
    ]);
    return new Set(rows.map((row) => row.name));
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    await client.connect();
    try {
        return await work(client);
    } finally {
        await client.end();
    }
}
