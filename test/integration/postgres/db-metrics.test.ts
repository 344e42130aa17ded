import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { openDatabase, sql } from '../../../platform/postgres/db.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { emptyDatabase } from '../../support/harness.ts';

it('the metrics show an exhausted pool, and how statements and transactions ended', async (t) => {
    const metrics = createMetrics();
    const db = await openDatabase({ url: await emptyDatabase(), size: 1, pooled: false, metrics });
    const shown = async (sample: string): Promise<boolean> =>
        (await metrics.expose()).text.split('\n').includes(sample);

    const release = Promise.withResolvers<void>();
    t.after(() => {
        release.resolve();
        return db.close();
    });
    const held = Promise.withResolvers<void>();
    const holding = db.transaction(async ({ rows }) => {
        await rows(sql.unsafe`SELECT 1`);
        held.resolve();
        await release.promise;
    });
    await held.promise;
    const waiting = db.rows(sql.unsafe`SELECT 2`);
    assert.ok(await shown('database_pool_size_connections 1'));
    assert.ok(await shown('database_pool_connections{state="in_use"} 1'));
    assert.ok(await shown('database_pool_waiting_queries 1'));
    release.resolve();
    await Promise.all([holding, waiting]);
    assert.ok(await shown('database_pool_waiting_queries 0'));
    assert.ok(await shown('database_query_duration_seconds_count{outcome="ok"} 2'));

    await assert.rejects(db.rows(sql.unsafe`SELECT nonsense`));
    assert.ok(await shown('database_query_duration_seconds_count{outcome="refused"} 1'));
    const rule = new AppError('conflict', 'Intended.');
    await assert.rejects(db.transaction(() => Promise.reject(rule)));
    assert.ok(
        await shown('database_query_duration_seconds_count{outcome="refused"} 1'),
        'an AppError is not a refusal by PostgreSQL',
    );
});
