import { Client } from 'pg';
import { type LocalPostgres, type LocalServer, startPostgres } from '../../deploy/local/databases/postgres.ts';
import { startRedis } from '../../deploy/local/databases/redis.ts';
import { migrate } from '../../platform/postgres/migrate.ts';
import { SCHEMAS } from '../../services/schemas.ts';
import { quiet } from '../support/context.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { closing, workDir } from './lifetime.ts';

/** `npm run proof -- pgbouncer`: the end-to-end tests reach PostgreSQL through pgbouncer in transaction mode. */
const BEHIND_PGBOUNCER = process.env['E2E_POOLER'] === 'pgbouncer';

const POSTGRES_SETTINGS = {
    // The files of a folder share a process and keep their databases open until its end, beside all services of a round.
    max_connections: '400',
    // The databases of a run end with it, so they need not outlive a crash of the machine.
    fsync: 'off',
    full_page_writes: 'off',
};
/** Redis waits for a disk that PostgreSQL keeps busy, and calls then give it up after half a second. */
const REDIS_SETTINGS = { appendfsync: 'no' };
/** Name of the migrated database that tests copy. */
const TEMPLATE = 'migrated';

export type Environment = Record<string, string>;

/** Starts PostgreSQL and Redis for this run. Returns the environment that tells tests where they are. */
export async function startDatabases(): Promise<Environment> {
    const options = { dataDir: workDir, log: () => {} };
    const [postgres, redis] = await Promise.all([
        givenPostgres() ?? startPostgres({ ...options, settings: POSTGRES_SETTINGS }),
        givenRedis() ?? startRedis({ ...options, settings: REDIS_SETTINGS }),
    ]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const urls = {
        TEST_DATABASE_URL: postgres.url,
        TEST_ADMIN_URL: postgres.adminUrl,
        TEST_REDIS_URL: redis.url,
        TEST_TEMPLATE: await makeTemplate(postgres),
    };
    if (!BEHIND_PGBOUNCER) return urls;
    const pgbouncer = await startPgbouncer({ databaseUrl: postgres.url, dir: workDir });
    closing.defer(() => pgbouncer.stop());
    return { ...urls, TEST_POOLER_URL: pgbouncer.url };
}

/** A PostgreSQL that runs already, started by `npm run proof -- versions`. This run does not stop it. */
function givenPostgres(): Pick<LocalPostgres, 'url' | 'adminUrl' | 'stop'> | undefined {
    const { TEST_DATABASE_URL: url, TEST_ADMIN_URL: adminUrl } = process.env;
    return url && adminUrl ? { url, adminUrl, stop: async () => {} } : undefined;
}

function givenRedis(): Pick<LocalServer, 'url' | 'stop'> | undefined {
    const { TEST_REDIS_URL: url } = process.env;
    return url ? { url, stop: async () => {} } : undefined;
}

/** Creates a migrated database. Each test file copies it, which costs less than to migrate an empty one. */
async function makeTemplate({ url, adminUrl }: Pick<LocalPostgres, 'url' | 'adminUrl'>): Promise<string> {
    const admin = new Client({ connectionString: adminUrl });
    await admin.connect();
    try {
        await admin.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`);
        await admin.query(`CREATE DATABASE ${TEMPLATE} OWNER credentials`);
    } finally {
        await admin.end();
    }
    await migrate(Object.assign(new URL(url), { pathname: `/${TEMPLATE}` }).href, { schemas: SCHEMAS, log: quiet });
    return TEMPLATE;
}
