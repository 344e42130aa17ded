import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { after } from 'node:test';
import { Client } from 'pg';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../platform/postgres/db.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { createMetrics } from '../../platform/telemetry/metrics.ts';

export { quiet, testContext } from './context.ts';
export { redisUrl, testRedis } from './test-redis.ts';

/** What `npm test` (test/runner/databases.ts) tells the tests about the databases that it has started. */
function setting(name: 'TEST_DATABASE_URL' | 'TEST_ADMIN_URL' | 'TEST_TEMPLATE'): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run this file with "npm test -- <file>".`);
    return value;
}

/** Time limit for a statement, in milliseconds: on a busy machine that of requests is too short to fill a table. */
const STATEMENT_MS = 240_000;

/** A log whose lines the test can read. */
export function recordingLog(): { log: Log; lines: Array<Record<string, unknown>> } {
    const lines: Array<Record<string, unknown>> = [];
    const stream = new Writable({
        write(line, _encoding, done) {
            lines.push(JSON.parse(String(line)));
            done();
        },
    });
    return { log: pino({ base: null }, stream), lines };
}

/** Creates an empty database for the test file. It is dropped when the file is done. */
export function emptyDatabase(): Promise<string> {
    return createDatabase('template1');
}

/** Creates a migrated database for the test file. It is dropped when the file is done. */
export async function testDatabase(): Promise<{ db: Database; url: string }> {
    const url = await createDatabase(setting('TEST_TEMPLATE'));
    return { db: await openedDatabase(url), url };
}

/** Opens a database until the test file is done. */
export async function openedDatabase(url: string, distributed = false): Promise<Database> {
    const options = { size: 4, pooled: false, statementMs: STATEMENT_MS, checkRows: true, distributed };
    const db = await openDatabase({ url, metrics: createMetrics(), ...options });
    after(() => db.close());
    return db;
}

async function createDatabase(template: string): Promise<string> {
    const name = `t_${randomBytes(6).toString('hex')}`;
    const admin = setting('TEST_ADMIN_URL');
    await execute(admin, `CREATE DATABASE ${name} OWNER credentials TEMPLATE ${template}`);
    after(() => execute(admin, `DROP DATABASE ${name} WITH (FORCE)`));
    return Object.assign(new URL(setting('TEST_DATABASE_URL')), { pathname: `/${name}` }).href;
}

async function execute(url: string, statement: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
}
