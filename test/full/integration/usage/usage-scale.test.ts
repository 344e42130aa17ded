import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { type Database, sql } from '../../../../platform/postgres/db.ts';
import { findDrift } from '../../../../services/counts/drift.store.ts';
import { rollUpPendingCounts } from '../../../../services/counts/roll-up.store.ts';
import { rollUp } from '../../../../services/counts/roll-up.ts';
import { usageService } from '../../../../services/usage/service.ts';
import { usageStore } from '../../../../services/usage/store.ts';
import { usageCounts } from '../../../../services/usage/usage-counts.ts';
import { testContext, testDatabase } from '../../../support/harness.ts';

const { db } = await testDatabase();

/** A node of a statement's plan, as EXPLAIN (FORMAT JSON) shows it. */
interface Plan {
    'Node Type': string;
    'Relation Name'?: string;
    Schema?: string;
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
}

/** A database that adds the plan of every statement to `plans`. */
function explained(plans: Plan[]): Database {
    return {
        ...db,
        async rows(query) {
            const [row] = await db.rows(
                sql.type(
                    z.strictObject({ 'QUERY PLAN': z.tuple([z.object({ Plan: z.custom<Plan>() })]) }),
                )`EXPLAIN (ANALYZE, VERBOSE, BUFFERS, FORMAT JSON) ${query}`,
            );
            assert.ok(row);
            plans.push(row['QUERY PLAN'][0].Plan);
            return db.rows(query);
        },
    };
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const nameOf = (node: Plan) => `${node.Schema}.${node['Relation Name']}`;
const rowsReadBy = (node: Plan) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

/** Up to so many rows, PostgreSQL rightly reads a table instead of an index. */
const FEW_ROWS = 20;

/** Returns both answers about an account, with the number of pages and the tables that were read for them. */
async function look(account: string) {
    const plans: Plan[] = [];
    const seen = explained(plans);
    const usage = usageService({ store: usageStore(seen), counts: usageCounts(() => [seen]), clock: Date.now });
    const context = testContext({ user_id: account });
    const statistics = await usage.getStatistics({}, context);
    const counts = await usage.getCounts({}, context);
    const nodes = plans.flatMap(nodesOf);
    return {
        statistics,
        counts,
        pages: plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0),
        tables: new Set(nodes.filter((node) => node['Relation Name']).map(nameOf)),
        wholeScans: nodes.filter((node) => node['Node Type'] === 'Seq Scan' && rowsReadBy(node) > FEW_ROWS).map(nameOf),
    };
}

/** So few that a statement ends long before its timeout, even beside other work. A multiple of 20. */
const ROWS_PER_STATEMENT = 10_000;

/** Writes `rows` credentials, a twentieth of them revoked, and pending counts in batches of 64 like the stores. */
async function writeCredentials(account: string, rows: number): Promise<void> {
    for (let left = rows; left > 0; left -= ROWS_PER_STATEMENT) {
        await writeSome(account, Math.min(left, ROWS_PER_STATEMENT));
    }
}

async function writeSome(account: string, rows: number): Promise<void> {
    await db.rows(sql.unsafe`
        WITH written AS (
            INSERT INTO credentials.credentials (id, account, issued_at, revoked_at, issuer, subject, credential_type)
            SELECT gen_random_uuid(), ${account}::uuid, now(), CASE WHEN row % 20 = 0 THEN now() END, 'i', 's', 't'
            FROM generate_series(1, ${rows}::int) AS row
        )
        INSERT INTO credentials.deltas (account, kind, day, amount)
        SELECT ${account}::uuid, 'credentials_issued', (now() AT TIME ZONE 'UTC')::date, count(*)
        FROM generate_series(1, ${rows}::int) AS row GROUP BY row / 64
        UNION ALL
        SELECT ${account}::uuid, 'credentials_revoked', (now() AT TIME ZONE 'UTC')::date, count(*)
        FROM generate_series(20, ${rows}::int, 20) AS row GROUP BY row / 64`);
}

/** Writes rows of other accounts, so that no table has rows of one account only. */
async function populate(accounts: number): Promise<void> {
    await db.rows(sql.unsafe`
        WITH others AS MATERIALIZED (SELECT gen_random_uuid() AS account FROM generate_series(1, ${accounts}::int)),
        requests AS (
            INSERT INTO usage.totals (account, kind, month, amount)
            SELECT account, kind, date_trunc('month', now())::date, 1
            FROM others, unnest(ARRAY['requests', 'rate_limit_hits', 'logins', 'presentations_verified']) AS kind
        ), issued AS (
            INSERT INTO credentials.totals (account, kind, month, amount)
            SELECT account, 'credentials_issued', date_trunc('month', now())::date, 1 FROM others
        )
        INSERT INTO usage.days (account, day, requests, logins)
        SELECT account, now()::date - day, 1, 1 FROM others, generate_series(0, 6) AS day`);
}

describe('statistics of an account', () => {
    const [small, large] = [randomUUID(), randomUUID()];
    before(async () => {
        await populate(3_000);
        await writeCredentials(small, 1_000);
        await writeCredentials(large, 100_000);
        await db.rows(sql.unsafe`ANALYZE`);
    });

    const issued = ({ statistics, counts }: Awaited<ReturnType<typeof look>>) => [
        counts.credentials_issued,
        statistics.credentials_issued,
        statistics.credentials_issued_this_month,
        statistics.credentials_revoked,
    ];

    it('are exact before the roll-up', async () => {
        assert.deepEqual(issued(await look(small)), [1_000, 1_000, 1_000, 50]);
        assert.deepEqual(issued(await look(large)), [100_000, 100_000, 100_000, 5_000]);
    });

    it('read as little for 100,000 credentials as for 1,000: no whole table, and none with credentials', async () => {
        await rollUp('credentials', db);
        const [ofSmall, ofLarge] = [await look(small), await look(large)];
        assert.deepEqual(issued(ofSmall), [1_000, 1_000, 1_000, 50]);
        assert.deepEqual(issued(ofLarge), [100_000, 100_000, 100_000, 5_000]);
        assert.ok(ofLarge.pages <= ofSmall.pages + 4, `${ofSmall.pages} pages, then ${ofLarge.pages}`);
        assert.ok(ofLarge.pages < 100, `${ofLarge.pages} pages`);
        for (const table of ofLarge.tables) assert.match(table, /\.(deltas|totals)$|^usage\./);
        assert.deepEqual(ofLarge.wholeScans, []);
    });

    it('are exact right after each further write, and read little more for it', async () => {
        const beforeWrites = await look(large);
        for (let group = 1; group <= 5; group++) {
            await writeCredentials(large, 60);
            const [total, revoked] = [100_000 + 60 * group, 5_000 + 3 * group];
            const now = await look(large);
            assert.deepEqual(issued(now), [total, total, total, revoked]);
            assert.ok(now.pages <= beforeWrites.pages + 20, `${beforeWrites.pages} pages, then ${now.pages}`);
        }
        assert.deepEqual(await driftOf(large), []);
        await rollUp('credentials', db);
        assert.deepEqual(issued(await look(large)), [100_300, 100_300, 100_300, 5_015]);
        assert.deepEqual(await driftOf(large), []);
    });
});

it('the roll-up does not compare each pending count with every other one, even in a table just emptied', async () => {
    const account = randomUUID();
    await writeCredentials(account, 100_000);
    await rollUpPendingCounts('credentials', db);
    await db.rows(sql.unsafe`VACUUM (TRUNCATE false) credentials.deltas`); // PostgreSQL now sees pages without rows
    await writeCredentials(account, 100_000);
    const plans: Plan[] = [];
    await rollUpPendingCounts('credentials', explained(plans));
    const joins = plans.flatMap(nodesOf).filter((node) => node['Node Type'] === 'Nested Loop');
    assert.deepEqual(joins, []);
});

async function driftOf(account: string) {
    return (await findDrift(() => [db])).filter((drift) => drift.account === account);
}
