import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { AppError } from '../../../../platform/errors.ts';
import { type Database, openDatabase, sql } from '../../../../platform/postgres/db.ts';
import { exposeQueues } from '../../../../platform/queue-stats.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { emptyDatabase } from '../../../support/harness.ts';

/** Takes the only connection until the returned function is called. */
async function takeConnection(db: Database): Promise<() => Promise<void>> {
    const taken = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = db.transaction(async () => {
        taken.resolve();
        await release.promise;
    });
    await taken.promise;
    return () => {
        release.resolve();
        return holding;
    };
}

it('a statement beyond the limit of waiting statements is refused at once, and the waiting ones run', async (t) => {
    const metrics = createMetrics();
    exposeQueues(metrics);
    const db = await openDatabase({ url: await emptyDatabase(), size: 1, pooled: false, metrics });
    t.after(() => db.close());
    const release = await takeConnection(db);

    const waiting = Array.from({ length: 1_024 }, (_, index) =>
        db.rows(sql.type(z.strictObject({ i: z.number() }))`SELECT ${index}::int AS i`),
    );
    const isRefusal = (error: unknown) =>
        error instanceof AppError && error.kind === 'unavailable' && error.retry_after === 1;
    await assert.rejects(db.rows(sql.unsafe`SELECT 1`), isRefusal);
    await assert.rejects(db.prepared('one_more', sql.unsafe`SELECT 1`), isRefusal);
    await assert.rejects(
        db.transaction(async () => {}),
        isRefusal,
    );
    await assert.rejects(db.ping(), isRefusal);
    const shown = (await metrics.expose()).text.split('\n');
    assert.ok(shown.includes('queue_refused_total{queue="database_pool"} 4'));
    assert.ok(shown.includes('database_pool_waiting_queries 1024'));
    assert.ok(
        shown.includes('database_query_duration_seconds_count{outcome="unavailable"} 0'),
        'a full queue is not an outage',
    );

    await release();
    const rows = (await Promise.all(waiting)).flat();
    assert.deepEqual(
        rows.map(({ i }) => i),
        Array.from(waiting.keys()),
    );
    await db.ping();
});
