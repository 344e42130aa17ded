import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { after } from 'node:test';
import { Client } from 'pg';
import { pino } from 'pino';
import { type CallContext, Cancellation } from '../platform/context.ts';
import { type Database, openDatabase } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { createLog, type Log } from '../platform/log.ts';
import { createMetrics } from '../platform/metrics.ts';
import { migrate } from '../platform/migrate.ts';
import { awaitRedis, openRedis, type Redis } from '../platform/redis.ts';
import { SCHEMAS } from '../services/index.ts';

/** What `npm test` (test/run.ts) has started for the tests. */
function setting(name: 'TEST_DATABASE_URL' | 'TEST_ADMIN_URL' | 'TEST_REDIS_URL'): string {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run this file by "npm test -- <file>".`);
    return value;
}

export const redisUrl = setting('TEST_REDIS_URL');

export const quiet = createLog({ level: 'silent', name: 'test' });

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

/** A new, empty database of the test file's own; dropped when the file is done. */
export async function emptyDatabase(): Promise<string> {
    const name = `t_${randomBytes(6).toString('hex')}`;
    const admin = setting('TEST_ADMIN_URL');
    await execute(admin, `CREATE DATABASE ${name} OWNER credentials`);
    after(() => execute(admin, `DROP DATABASE ${name} WITH (FORCE)`));
    return Object.assign(new URL(setting('TEST_DATABASE_URL')), { pathname: `/${name}` }).href;
}

/** A migrated database of the test file's own; dropped when the file is done. */
export async function testDatabase(): Promise<{ db: Database; url: string }> {
    const url = await emptyDatabase();
    await migrate(url, { schemas: SCHEMAS, log: quiet });
    const db = await openDatabase({ url, size: 4, pooled: false, metrics: createMetrics() });
    after(() => db.close());
    return { db, url };
}

/** A connection to this file's database of the real Redis (test/own-redis.ts); closed when the file is done. */
export async function testRedis(): Promise<Redis> {
    const redis = openRedis({ url: setting('TEST_REDIS_URL'), log: quiet });
    await awaitRedis(redis, 5_000);
    after(() => redis.disconnect());
    return redis;
}

/** A call on behalf of `user_id` (a new account's id unless given), with more time to go than a whole file takes. */
export function testContext(caller: Partial<CallContext> = {}): CallContext {
    return {
        request_id: newId(),
        traceparent: undefined,
        user_id: newId(),
        tier: 'free',
        session_id: undefined,
        address: '127.0.0.1',
        trusted: false,
        deadline: performance.now() + 300_000,
        cancellation: new Cancellation(),
        ...caller,
    };
}

async function execute(url: string, statement: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
}
