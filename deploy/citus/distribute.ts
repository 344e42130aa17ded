import '../local/node-version.ts';
import { type Client, DatabaseError } from 'pg';
import { withSession } from '../../platform/postgres/session.ts';
import { ConfigError, databaseUrls, loadConfig } from '../../platform/process/config.ts';
import { SERVICE_ROLES } from '../../proto/services.ts';
import { schemasOf } from '../../services/schemas.ts';
import { Problem } from '../local/problem.ts';

/**
 * `npm run citus:distribute`: places each schema of the migrated databases in DATABASE_URL, DATABASE_URL_<ROLE> and
 * CREDENTIAL_PARTS on a node of their Citus. It may be repeated, and places all schemas of a database or none.
 */

/**
 * How long it waits for a table that statements use, in milliseconds. Meanwhile new statements wait behind it. Beyond
 * it: nothing is distributed, and the command fails.
 */
const LOCK_MS = 3_000;

async function distribute(client: Client, wanted: readonly string[]): Promise<string[]> {
    const { rowCount } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
    if (rowCount === 0) throw new Problem('The database has no extension citus.');
    const found = await client.query<{ schema: string; distributed: boolean }>(
        `SELECT nspname AS schema, nspname::text IN (SELECT schema_name::text FROM citus_schemas) AS distributed
         FROM pg_namespace WHERE nspname = ANY($1)`,
        [wanted],
    );
    if (found.rows.length < wanted.length) throw new Problem('Not all schemas exist: run the migrations first.');
    const schemas = found.rows.filter(({ distributed }) => !distributed).map(({ schema }) => schema);
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    for (const schema of schemas) await client.query('SELECT citus_schema_distribute($1::regnamespace)', [schema]);
    await client.query('COMMIT');
    return schemas;
}

const config = loadConfig(process.env, SERVICE_ROLES);
try {
    for (const url of new Set(SERVICE_ROLES.flatMap((role) => databaseUrls(config, role)))) {
        const wanted = schemasOf(url).map(({ schema }) => schema);
        const schemas = await withSession(url, {}, (client) => distribute(client, wanted));
        console.log(schemas.length > 0 ? `distributed: ${schemas.join(', ')}` : 'all schemas are distributed already');
    }
} catch (error) {
    const isPlain = error instanceof ConfigError || error instanceof Problem || error instanceof DatabaseError;
    if (!isPlain) throw error;
    console.error(`Nothing is distributed: ${error.message}`);
    process.exitCode = 1;
}
