import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Client } from 'pg';
import { z } from 'zod';
import { newId } from '../../../platform/ids.ts';
import { changeRows } from '../../../platform/postgres/append.store.ts';
import { openDatabase, sql } from '../../../platform/postgres/db.ts';
import { awaitPostgres } from '../../../platform/preflight/postgres.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { countsOfAll } from '../../../services/counts/counts.store.ts';
import { type Counting, deltasOf } from '../../../services/counts/pending.store.ts';
import { SCHEMAS } from '../../../services/schemas.ts';
import { emptyDatabase, openedDatabase, quiet, testDatabase } from '../../support/harness.ts';

/** Makes a database name the extension Citus among its own. Citus itself is not there. */
async function withCitus(url: string): Promise<string> {
    const { pathname } = new URL(url);
    const admin = new Client({
        connectionString: Object.assign(new URL(process.env['TEST_ADMIN_URL'] as string), { pathname }).href,
    });
    await admin.connect();
    await admin.query(`
        INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        SELECT 99999, 'citus', extowner, extnamespace, extrelocatable, '13' FROM pg_extension WHERE extname = 'plpgsql'`);
    await admin.end();
    return url;
}

const modeRow = z.strictObject({ mode: z.string() });

for (const [what, make, distributed, mode] of [
    [
        'a PostgreSQL keeps plans, and may be asked for several schemas at once',
        async (url: string) => url,
        false,
        'force_generic_plan',
    ],
    ['a Citus plans each statement, and may not', withCitus, true, 'auto'],
] as const) {
    test(what, async (t) => {
        const url = await make(await emptyDatabase());
        const facts = await awaitPostgres({ url, asOwner: true, log: quiet, timeoutMs: 10_000 });
        assert.deepEqual(facts, { distributed });
        const db = await openDatabase({ ...facts, url, size: 1, pooled: false, metrics: createMetrics() });
        t.after(() => db.close());
        const rows = await db.rows(sql.type(modeRow)`SELECT current_setting('plan_cache_mode') AS mode`);
        assert.deepEqual([db.distributed, rows], [distributed, [{ mode }]]);
    });
}

test('counts of a distributed database are read with one statement for each schema, and are the same', async () => {
    const { db } = await testDatabase();
    const account = newId();
    const counted: Array<[Counting, string]> = [
        ['did', 'dids_created'],
        ['credentials', 'credentials_issued'],
        ['keys', 'api_keys_active'],
    ];
    for (const [service, kind] of counted)
        await db.rows(sql.unsafe`
            INSERT INTO ${deltasOf(service)} (account, kind, day, amount) VALUES (${account}, ${kind}, '2031-06-02', 3)`);
    const services = counted.map(([service]) => service);
    const read = async (distributed: boolean) => {
        const texts: string[] = [];
        const watched = {
            ...db,
            distributed,
            prepared: (name, query, lifetime) => {
                texts.push(query.sql);
                return db.prepared(name, query, lifetime);
            },
            rows: (query, ...served) => {
                texts.push(query.sql);
                return db.rows(query, ...served);
            },
        } satisfies typeof db;
        const counts = countsOfAll(services, () => [watched]);
        const amounts = await counts.amounts(account, undefined);
        const months = await counts.byMonth({ account, today: '2031-06-02' });
        const schemas = texts.map((text) => services.filter((service) => text.includes(`"${service}".`)).length);
        return { amounts, months: new Map(months.map(({ kind, ...sums }) => [kind, sums])), schemas };
    };
    const [together, apart] = [await read(false), await read(true)];
    assert.deepEqual(
        [together.schemas, apart.schemas],
        [
            [3, 3],
            [1, 1, 1, 1, 1, 1],
        ],
    );
    assert.deepEqual(apart.amounts, new Map(counted.map(([, kind]) => [kind, 3])));
    assert.deepEqual([apart.amounts, apart.months], [together.amounts, together.months]);
});

test('a change and what is appended are the same in one statement and in several, and its rows are checked', async () => {
    const { url } = await testDatabase();
    const row = z.strictObject({ account: z.string(), amount: z.number() });
    const doubled = sql.fragment`
        INSERT INTO keys.deltas (account, kind, day, amount)
        SELECT account, 'doubled', '2031-06-02', 2 * amount FROM written`;
    const changeOf = (account: string) => ({
        name: 'made',
        change: sql.fragment`
            INSERT INTO keys.deltas (account, kind, day, amount) VALUES (${account}, 'one', '2031-06-02', 3)
            RETURNING account, amount`,
        columns: { account: 'uuid', amount: 'int8' },
        appended: [doubled],
    });
    for (const distributed of [false, true]) {
        const db = await openedDatabase(url, distributed);
        const wrong = changeRows(db, { ...changeOf(newId()), row: row.omit({ amount: true }) });
        await assert.rejects(wrong, /A row differs from its schema.*amount/);
        const account = newId();
        assert.deepEqual(await changeRows(db, { ...changeOf(account), row }), [{ account, amount: 3 }]);
        const written = sql.type(row)`
            SELECT account, amount FROM keys.deltas WHERE account = ${account} ORDER BY kind DESC`;
        assert.deepEqual(
            (await db.rows(written)).map(({ amount }) => amount),
            [3, 6],
        );
    }
});

/** Runs `npm run citus:distribute`. */
async function distribute(url: string): Promise<[code: unknown, output: string]> {
    const child = spawn(process.execPath, ['deploy/citus/distribute.ts'], { env: { DATABASE_URL: url } });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return [code, `${output}${errors}`.trim()];
}

test('distributing places all schemas or none, may be repeated, and says why it cannot', async () => {
    const { db, url } = await testDatabase();
    const refused = 'Nothing is distributed: ';
    assert.deepEqual(await distribute(url), [1, `${refused}The database has no extension citus.`]);
    await withCitus(url);
    await db.rows(sql.unsafe`CREATE TABLE citus_schemas (schema_name regnamespace)`);
    await db.rows(sql.unsafe`
        CREATE FUNCTION citus_schema_distribute(schema regnamespace) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            EXECUTE format('LOCK TABLE %s.deltas', schema);
            INSERT INTO citus_schemas VALUES (schema);
        END $$`);
    // So that each schema has one.
    for (const table of ['signing.issuers', 'events.log', 'webhooks.endpoints', 'exchange.offers'])
        await db.rows(sql.unsafe`ALTER TABLE ${sql.identifier(table.split('.'))} RENAME TO deltas`);
    await db.transaction(async ({ rows }) => {
        await rows(sql.unsafe`SET LOCAL idle_in_transaction_session_timeout = 0`); // the command may start slowly
        await rows(sql.unsafe`SELECT FROM wallet.deltas`);
        assert.deepEqual(await distribute(url), [1, `${refused}canceling statement due to lock timeout`]);
        assert.deepEqual(await rows(sql.unsafe`SELECT FROM citus_schemas`), []);
    });
    const schemas = SCHEMAS.map(({ schema }) => schema).sort();
    const [code, output] = await distribute(url);
    assert.deepEqual([code, output.replace('distributed: ', '').split(', ').sort()], [0, schemas]);
    assert.deepEqual(await distribute(url), [0, 'all schemas are distributed already']);
});
