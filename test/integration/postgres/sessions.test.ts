import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { type Database, openDatabase, type Queries, sql } from '../../../platform/postgres/db.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { emptyDatabase } from '../../support/harness.ts';
import { skip, startPgbouncer } from '../../support/pgbouncer.ts';

/** From the first time that can be stored to the last one. In Berlin, clocks differed from UTC by 53 min 28 s until 1893. */
const TIMES = [
    '0001-01-01T00:00:00.000Z',
    '1850-06-01T12:00:00.000Z',
    '2026-07-01T12:30:00.500Z',
    '9999-12-31T23:59:59.000Z',
];

const url = await emptyDatabase();
await inBerlin();

/** Makes a session of this role begin with another zone and another form of dates, as an operator can. */
async function inBerlin(): Promise<void> {
    const db = await openDatabase({ url, size: 1, pooled: false, metrics: createMetrics() });
    const database = sql.identifier([new URL(url).pathname.slice(1)]);
    await db.rows(sql.unsafe`ALTER ROLE credentials IN DATABASE ${database} SET TimeZone = 'Europe/Berlin'`);
    await db.rows(sql.unsafe`ALTER ROLE credentials IN DATABASE ${database} SET DateStyle = 'SQL, DMY'`);
    await db.close();
}

async function open(t: TestContext, options: { url: string; pooled: boolean }): Promise<Database> {
    const db = await openDatabase({ ...options, size: 1, metrics: createMetrics() });
    t.after(() => db.close());
    return db;
}

async function readBack(db: Queries): Promise<unknown[]> {
    const rows = await db.rows(
        sql.type(
            z.strictObject({ time: z.string() }),
        )`SELECT time FROM unnest(${sql.array(TIMES, 'timestamptz')}) AS time`,
    );
    return rows.map(({ time }) => time);
}

async function backendOf({ rows }: Queries): Promise<number> {
    const [row] = await rows(sql.type(z.strictObject({ pid: z.number() }))`SELECT pg_backend_pid() AS pid`);
    return row?.pid ?? assert.fail('no row');
}

it('times are the same in a database whose sessions have another zone and another form of dates', async (t) => {
    assert.deepEqual(await readBack(await open(t, { url, pooled: false })), TIMES);
});

it('times are the same behind pgbouncer, in every transaction', { skip }, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'sessions-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const pgbouncer = await startPgbouncer({ databaseUrl: url, dir });
    t.after(() => pgbouncer.stop());
    const [first, second] = [
        await open(t, { url: pgbouncer.url, pooled: true }),
        await open(t, { url: pgbouncer.url, pooled: true }),
    ];
    // While the first one holds its connection, the second one gets a connection on which nobody has set anything.
    const [held, isRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = first.transaction(async (queries) => {
        assert.deepEqual(await readBack(queries), TIMES);
        held.resolve();
        await isRead.promise;
    });
    await Promise.race([held.promise, transaction]);
    assert.deepEqual(await readBack(second).finally(isRead.resolve), TIMES);
    await transaction;
    assert.deepEqual(await readBack(first), TIMES);
});

it('a time that cannot be read fails its call, and the connection stays', async (t) => {
    const db = await open(t, { url, pooled: false });
    const before = await backendOf(db);
    const unreadable = sql.unsafe`SELECT 'infinity'::timestamptz AS time`;
    const isDefect = (error: unknown) => Error.isError(error) && !(error instanceof AppError);
    await assert.rejects(db.rows(unreadable), isDefect);
    await assert.rejects(
        db.transaction((queries) => queries.rows(unreadable)),
        isDefect,
    );
    assert.equal(await backendOf(db), before);
});

it('a statement has the time limit of its database: that of requests, or the one of a command', async (t) => {
    const limitOf = async (statementMs?: number) => {
        const db = await openDatabase({ url, size: 1, pooled: false, metrics: createMetrics(), statementMs });
        t.after(() => db.close());
        return db.rows(sql.unsafe`SELECT current_setting('statement_timeout') AS limit`);
    };
    assert.deepEqual(await limitOf(), [{ limit: '8s' }]);
    assert.deepEqual(await limitOf(3_600_000), [{ limit: '1h' }]);
});
