import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { coalesce } from '../../../../platform/batch.ts';
import { AppError } from '../../../../platform/errors.ts';
import {
    type Database,
    isRefusedStatement,
    openDatabase,
    STORE_GROUPS,
    sql,
} from '../../../../platform/postgres/db.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { emptyDatabase } from '../../../support/harness.ts';

const url = await emptyDatabase();

async function open(
    t: TestContext,
    changes: { host?: string; password?: string; pathname?: string; search?: string } = {},
) {
    const changed = Object.assign(new URL(url), changes).href;
    const db = await openDatabase({ url: changed, size: 2, pooled: false, metrics: createMetrics() });
    t.after(() => db.close());
    return db;
}

const setup = await openDatabase({ url, size: 1, pooled: false, metrics: createMetrics() });
await setup.rows(sql.unsafe`
    CREATE FUNCTION raise(code text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'intended' USING ERRCODE = code; END $$`);
await setup.close();

/** A statement that PostgreSQL refuses with this SQLSTATE. */
const raise = (code: string) => sql.unsafe`SELECT raise(${code})`;

/** Runs a batch of four with `query` as its statement. Returns the kinds of the errors, and how often it was sent. */
async function groupOf(db: Database, query: () => ReturnType<typeof sql.unsafe>) {
    let runs = 0;
    const call = coalesce<number, unknown>({
        ...STORE_GROUPS,
        name: 'test',
        bisectOn: isRefusedStatement,
        async run(items) {
            runs++;
            const rows = await db.rows(query());
            return items.map(() => rows);
        },
    });
    const results = await Promise.allSettled([1, 2, 3, 4].map((item) => call(item)));
    const kinds = results.map((result) => {
        assert.equal(result.status, 'rejected');
        return result.reason instanceof AppError ? result.reason.kind : 'not an AppError';
    });
    return { kinds: new Set(kinds), runs };
}

const UNAVAILABLE_AT_ONCE = { kinds: new Set(['unavailable']), runs: 1 };

describe('a batch fails once, as "unavailable", because of', () => {
    for (const [what, changes] of Object.entries({
        'a name that does not resolve': { host: 'nowhere.invalid:5432' },
        'a wrong password': { password: 'wrong' },
        'a missing database': { pathname: '/nothing_here' },
        'missing TLS where it is required': { search: '?sslmode=require' },
        'a port on which nothing listens': { host: '127.0.0.1:1' },
    })) {
        it(what, async (t) => {
            const db = await open(t, changes);
            assert.deepEqual(await groupOf(db, () => sql.unsafe`SELECT 1`), UNAVAILABLE_AT_ONCE);
        });
    }
});

describe('an error of PostgreSQL', () => {
    for (const code of ['08006', '25006', '28P01', '40001', '40P01', '53200', '55P03', '57014', '57P01', '58030']) {
        it(`${code} is an outage and does not split a batch`, async (t) => {
            assert.deepEqual(await groupOf(await open(t), () => raise(code)), UNAVAILABLE_AT_ONCE);
        });
    }
    for (const code of ['22003', '23514', '54000']) {
        it(`${code} is caused by a value and splits the batch`, async (t) => {
            const { kinds, runs } = await groupOf(await open(t), () => raise(code));
            assert.deepEqual([kinds, runs], [new Set(['not an AppError']), 7]);
        });
    }
    for (const code of ['42P01', 'XX000']) {
        it(`${code} is a defect of the program: it is no outage and does not split a batch`, async (t) => {
            const { kinds, runs } = await groupOf(await open(t), () => raise(code));
            assert.deepEqual([kinds, runs], [new Set(['not an AppError']), 1]);
        });
    }
});
