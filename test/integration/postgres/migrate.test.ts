import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { sql } from '../../../platform/postgres/db.ts';
import { isMigrated, migrate, type SchemaMigrations, SchemaTooNew } from '../../../platform/postgres/migrate.ts';
import { SCHEMAS } from '../../../services/schemas.ts';
import { emptyDatabase, quiet, testDatabase } from '../../support/harness.ts';
import { until } from '../rpc/rpc.fixture.ts';

const FIXTURE = globSync('test/integration/migrations/*.sql').sort();
const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
after(() => rmSync(folder, { recursive: true }));

/** The migrations of three consecutive releases: the second expands and switches, the third contracts. */
const first = release('first', FIXTURE.slice(0, 1));
const second = release('second', FIXTURE.slice(0, 3));
const third = release('third', FIXTURE);

const databases = await Promise.all(Array.from({ length: 8 }, emptyDatabase));

function release(name: string, files: string[]): SchemaMigrations[] {
    const shipped = join(folder, name);
    mkdirSync(shipped);
    for (const file of files) cpSync(file, join(shipped, basename(file)));
    return [{ schema: 'people', folder: shipped }];
}

const bring = (url: string, schemas: SchemaMigrations[]) => migrate(url, { schemas, log: quiet });

async function connected(t: TestContext, url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    t.after(() => client.end());
    return client;
}

describe('migrations', () => {
    it('let the previous and the current release work side by side at every step', async (t) => {
        const url = databases.pop() as string; // one for each test
        const db = await connected(t, url);
        await bring(url, first);
        await db.query(`INSERT INTO people.people (id, full_name) VALUES (1, 'Ada')`);

        await bring(url, second);
        assert.deepEqual([await isMigrated(url, first), await isMigrated(url, second)], [true, true]);
        await db.query(`INSERT INTO people.people (id, full_name) VALUES (2, 'Grace')`); // as the first release writes
        await db.query(`INSERT INTO people.people (id, name) VALUES (3, 'Barbara')`); // as the second release writes
        const both = await db.query('SELECT full_name, name FROM people.people ORDER BY id');
        const names = ['Ada', 'Grace', 'Barbara'];
        assert.deepEqual(
            both.rows,
            names.map((name) => ({ full_name: name, name })),
        );

        await bring(url, third);
        assert.deepEqual([await isMigrated(url, second), await isMigrated(url, third)], [true, true]);
        await db.query(`INSERT INTO people.people (id, name) VALUES (4, 'Frances')`);
        const afterAll = await db.query('SELECT name FROM people.people ORDER BY id');
        assert.deepEqual(
            afterAll.rows.map(({ name }) => name),
            [...names, 'Frances'],
        );
    });

    it('stop a program if a later release has removed something that it uses', async () => {
        const url = databases.pop() as string; // one for each test
        await bring(url, third);
        await assert.rejects(isMigrated(url, first), SchemaTooNew);
    });

    it('of the services leave no trigger, so that a statement does what it says', async () => {
        const { db } = await testDatabase();
        const schemas = SCHEMAS.map(({ schema }) => schema);
        const triggers = await db.rows(sql.unsafe`
            SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
            WHERE NOT tgisinternal AND relnamespace::regnamespace::text = ANY(${sql.array(schemas, 'text')})`);
        assert.deepEqual(triggers, []);
    });

    it('are not complete for a program that is newer than its database', async () => {
        const url = databases.pop() as string; // one for each test
        assert.equal(await isMigrated(url, first), false);
        await bring(url, first);
        assert.equal(await isMigrated(url, second), false);
    });

    it('are each applied once by three concurrent runners', async () => {
        const url = databases.pop() as string; // one for each test
        const applied = await Promise.all([1, 2, 3].map(() => bring(url, third)));
        assert.deepEqual(
            applied.flat().sort(),
            FIXTURE.map((file) => `people/${basename(file)}`),
        );
    });

    it('do not block reads while they wait for a table, and change it once it is free', async (t) => {
        const url = databases.pop() as string; // one for each test
        await bring(url, first);
        const [holder, reader] = [await connected(t, url), await connected(t, url)];
        await holder.query('BEGIN; SELECT FROM people.people');
        const migrating = bring(url, second);
        const waiting = `SELECT FROM pg_locks WHERE relation = 'people.people'::regclass AND NOT granted`;
        await until('the migration waits', async () => (await reader.query(waiting)).rowCount === 1);
        await reader.query(`SET statement_timeout = '8s'`); // as for requests
        await reader.query('SELECT FROM people.people');
        assert.equal(await isMigrated(url, second), false);
        await holder.query('COMMIT');
        await migrating;
        assert.equal(await isMigrated(url, second), true);
    });

    it('stay applied when a later one fails, and that one changes nothing', async (t) => {
        const url = databases.pop() as string; // one for each test
        const db = await connected(t, url);
        const failing = release('failing', FIXTURE.slice(0, 1));
        writeFileSync(join(folder, 'failing/002_failing.sql'), 'CREATE TABLE people.half (); SELECT 1 / 0;');
        await assert.rejects(bring(url, failing), /division by zero/);
        assert.deepEqual([await isMigrated(url, first), await isMigrated(url, failing)], [true, false]);
        assert.deepEqual((await db.query(`SELECT to_regclass('people.half') AS half`)).rows, [{ half: null }]);
    });

    it('stay applied when their runner loses its connection in the middle, and a rerun applies the rest', async (t) => {
        const url = databases.pop() as string; // one for each test
        const db = await connected(t, url);
        const stuck = release('stuck', FIXTURE.slice(0, 1));
        writeFileSync(join(folder, 'stuck/002_stuck.sql'), 'CREATE TABLE people.half (); SELECT pg_sleep(60);');
        const cut = assert.rejects(bring(url, stuck));
        for (let ended = 0; ended === 0; ) {
            const { rowCount } = await db.query(
                `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event = 'PgSleep'`,
            );
            ended = rowCount ?? 0;
        }
        await cut;
        writeFileSync(join(folder, 'stuck/002_stuck.sql'), 'CREATE TABLE people.half ();');
        assert.deepEqual(await bring(url, stuck), ['people/002_stuck.sql']);
    });

    it('commit each batch of a backfill separately', async (t) => {
        const url = databases.pop() as string; // one for each test
        const db = await connected(t, url);
        await bring(url, first);
        await db.query(
            `INSERT INTO people.people (id, full_name) SELECT id, 'Ada' FROM generate_series(1, 2500) AS id`,
        );
        await bring(url, second);
        const { rows } = await db.query(
            `SELECT count(*)::int AS size FROM people.people WHERE name = 'Ada' GROUP BY xmin::text ORDER BY size DESC`,
        );
        assert.deepEqual(rows, [{ size: 1_000 }, { size: 1_000 }, { size: 500 }]);
    });
});
