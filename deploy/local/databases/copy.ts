import '../node-version.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError } from 'pg';
import { run } from '../../../main.ts';
import { copyRows, NotCopied } from '../../../platform/postgres/copy-rows.store.ts';
import { withSession } from '../../../platform/postgres/session.ts';
import { ConfigError, loadConfig, required } from '../../../platform/process/config.ts';
import { StartError } from '../../../platform/start-error.ts';
import { SCHEMAS } from '../../../services/schemas.ts';
import { openDataDir } from '../data-dir.ts';
import { lockDataDir } from '../lock.ts';
import { Problem } from '../problem.ts';
import { startPostgres } from './postgres.ts';

/**
 * `npm run database:copy`: copies what `npm start` has stored in DATA_DIR to the empty database in DATABASE_URL
 * (docs/operations/grow.md#from-npm-start-to-a-postgresql-of-yours). It refuses while a service runs on DATA_DIR.
 */
async function copy(): Promise<void> {
    const target = required(loadConfig(process.env), 'DATABASE_URL');
    const path = process.env['DATA_DIR'] ?? '.data';
    if (!existsSync(join(path, 'postgres'))) throw new Problem(`${path} has no database: set DATA_DIR.`);
    const dataDir = openDataDir(path);
    const lock = await lockDataDir(dataDir);
    const { url, stop } = await startPostgres({ dataDir, log: (line) => console.log(line) });
    try {
        const schemas = SCHEMAS.map(({ schema }) => schema);
        for (const each of [url, target]) await run(['migrate'], { DATABASE_URL: each, LOG_LEVEL: 'warn' });
        const rows = await withSession(url, {}, (from) =>
            withSession(target, {}, (to) => copyRows({ from, to, schemas })),
        );
        console.log(`Copied ${rows} rows. ${dataDir} keeps the secrets, which the service still needs.`);
    } finally {
        await stop();
        await lock.release();
    }
}

try {
    await copy();
} catch (error) {
    const plain = [ConfigError, Problem, StartError, NotCopied, DatabaseError];
    if (!plain.some((kind) => error instanceof kind)) throw error;
    console.error(`Nothing is copied: ${(error as Error).message}`);
    process.exitCode = 1;
}
