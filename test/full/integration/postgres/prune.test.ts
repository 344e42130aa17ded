import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type Database, sql } from '../../../../platform/postgres/db.ts';
import { PRUNE_ROWS, removedByTime, removedRows } from '../../../../platform/postgres/prune.ts';
import { mergeTotals } from '../../../../services/counts/merge.store.ts';
import { pruneClaims } from '../../../../services/idempotency/claims.store.ts';
import { pruneSessions } from '../../../../services/identity/prune.store.ts';
import { pruneUsage } from '../../../../services/usage/prune.store.ts';
import { testDatabase } from '../../../support/harness.ts';

type Statement = ReturnType<typeof sql.unsafe>;

/** Rejects if PostgreSQL would read a whole table for the statement. */
async function readsByIndex(db: Database, statement: Statement): Promise<void> {
    const rows = await db.rows(sql.type(z.strictObject({ 'QUERY PLAN': z.string() }))`EXPLAIN ${statement}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.doesNotMatch(plan, /Seq Scan on/, plan);
}

describe('a sweep of a table', { timeout: 120_000 }, () => {
    it('with a million expired claims reads them by index, and removes them and nothing else', async () => {
        const { db } = await testDatabase();
        const inserted = (from: number, to: number, madeAt: string) => sql.unsafe`
            INSERT INTO did.idempotency (scope_hash, fingerprint, id, made_at)
            SELECT int4send(n), 'x', '00000000-0000-0000-0000-000000000000', now() - ${madeAt}::interval + n * interval '1 us'
            FROM generate_series(${from}::int, ${to}::int) AS n`;
        await db.rows(sql.unsafe`ALTER TABLE did.idempotency SET UNLOGGED`);
        for (let from = 1; from < 1_000_000; from += 100_000) await db.rows(inserted(from, from + 99_999, '25 hours'));
        await db.rows(inserted(2_000_001, 2_000_100, '1 hour'));
        await db.rows(sql.unsafe`ANALYZE did.idempotency`);
        const before = sql.fragment`now() - make_interval(hours => ${24})`;
        const pruned = { table: ['did', 'idempotency'], key: 'scope_hash', time: 'made_at', before } as const;
        await readsByIndex(db, removedByTime(pruned, '-infinity'));
        assert.equal(await pruneClaims(db, 'did', 24), 1_000_000);
        assert.equal(await pruneClaims(db, 'did', 24), 0);
        const [left] = await db.rows(sql.unsafe`SELECT count(*) AS count FROM did.idempotency`);
        assert.deepEqual(left, { count: 100 });
    });

    it('of sessions and of activity reads by index, and removes more than one batch of one moment', async () => {
        const { db } = await testDatabase();
        const many = 2 * PRUNE_ROWS + 1;
        const id = sql.fragment`md5(n::text)::uuid`;
        const series = sql.fragment`FROM generate_series(1, ${many}::int) AS n`;
        const user = '00000000-0000-0000-0000-000000000001';
        await db.rows(sql.unsafe`
            INSERT INTO identity.users (user_id, email, tier, password_hash, created_at, updated_at)
            VALUES (${user}, 'a@example.org', 'free', 'x', now(), now())`);
        await db.rows(sql.unsafe`
            INSERT INTO identity.sessions (session_id, user_id, refresh_id, created_at, expires_at)
            SELECT ${id}, ${user}::uuid, ${id}, now(), now() - interval '1 day' ${series}`);
        await db.rows(sql.unsafe`
            INSERT INTO usage.days (account, day, requests, logins) SELECT ${id}, '2031-01-01', 1, 1 ${series}`);
        await db.rows(sql.unsafe`
            INSERT INTO usage.totals (account, kind, month, amount)
            SELECT ${id}, 'kind ' || k, '2031-01-01', 1 ${series}, generate_series(1, 2) AS k`);
        for (const table of ['identity.sessions', 'usage.days', 'usage.totals'] as const) {
            await db.rows(sql.unsafe`ANALYZE ${sql.identifier(table.split('.'))}`);
        }
        const sessions = { table: ['identity', 'sessions'], key: 'session_id', time: 'expires_at' } as const;
        await readsByIndex(db, removedByTime({ ...sessions, before: sql.fragment`now()` }, '-infinity'));
        const day = sql.fragment`day = '2031-01-01'`;
        await readsByIndex(db, sql.unsafe`${removedRows({ table: ['usage', 'days'], key: 'account' }, day)}`);
        const month = sql.fragment`month = '2031-01-01'`;
        await readsByIndex(db, sql.unsafe`${removedRows({ table: ['usage', 'totals'], key: 'account' }, month)}`);
        assert.equal(await pruneSessions(db), many);
        assert.equal(await pruneUsage(db, '2031-03-15'), many);
        assert.equal(await mergeTotals('usage', db, '2031-03-15'), 2 * many);
        const [totals] = await db.rows(sql.unsafe`SELECT count(*) AS count, sum(amount)::int AS sum FROM usage.totals`);
        assert.deepEqual(totals, { count: 2 * many, sum: 2 * many });
    });
});
