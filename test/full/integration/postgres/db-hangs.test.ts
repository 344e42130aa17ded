import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { z } from 'zod';
import { type Database, openDatabase, type Queries, sql } from '../../../../platform/postgres/db.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { emptyDatabase } from '../../../support/harness.ts';

/** A connection that is silent for this long (ms) is given up. The tests allow twice that for a busy machine. */
const SILENCE_MS = 9_000;

const url = await emptyDatabase();

async function oneConnection(t: TestContext): Promise<Database> {
    const db = await openDatabase({ url, size: 1, pooled: false, metrics: createMetrics() });
    t.after(() => db.close());
    return db;
}

/** Suspends a process until the test is over. */
function freeze(t: TestContext, pid: number): void {
    process.kill(pid, 'SIGSTOP');
    t.after(() => process.kill(pid, 'SIGCONT'));
}

async function backendOf({ rows }: Pick<Queries, 'rows'>): Promise<number> {
    const [row] = await rows(sql.type(z.strictObject({ pid: z.number() }))`SELECT pg_backend_pid() AS pid`);
    return row?.pid ?? assert.fail('no row');
}

it('a connection that becomes silent is replaced, and a statement behind it leaves at its deadline', async (t) => {
    const db = await oneConnection(t);
    const silent = await backendOf(db);
    freeze(t, silent);
    const began = performance.now();
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const stuck = assert.rejects(db.rows(sql.unsafe`SELECT 1`), { kind: 'unavailable' }).then(note('stuck'));
    const overdue = assert
        .rejects(db.rows(sql.unsafe`SELECT 2`, 'second', { deadline: began + 1_000 }), { kind: 'deadline' })
        .then(note('overdue'));
    const next = backendOf({ rows: (query) => db.rows(query, 'third', { deadline: began + 60_000 }) });
    await overdue;
    assert.deepEqual(ended, ['overdue'], 'it does not wait for the stuck statement');
    await stuck;
    assert.ok(performance.now() - began < 2 * SILENCE_MS);
    assert.notEqual(await next, silent, 'another connection serves the next statement');
});

it('a transaction on a connection that becomes silent fails, and sends nothing more', async (t) => {
    const db = await oneConnection(t);
    const began = performance.now();
    const transaction = db.transaction(async (queries) => {
        freeze(t, await backendOf(queries));
        await queries.rows(sql.unsafe`SELECT 1`);
    });
    await assert.rejects(transaction, { kind: 'unavailable' });
    assert.ok(performance.now() - began < 2 * SILENCE_MS, 'a rollback would wait as long again');
    await db.ping();
});
