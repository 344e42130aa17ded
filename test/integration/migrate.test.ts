import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { isMigrated, migrate, type SchemaMigrations, SchemaTooNew } from '../../platform/migrate.ts';
import { emptyDatabase } from '../harness.ts';

const FIXTURE = globSync('test/integration/migrations/*.sql').sort();
const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
after(() => rmSync(folder, { recursive: true }));

/** What three releases in a row ship: the second expands and switches, the third contracts. */
const first = release('first', FIXTURE.slice(0, 1));
const second = release('second', FIXTURE.slice(0, 3));
const third = release('third', FIXTURE);

const databases = await Promise.all(Array.from({ length: 5 }, emptyDatabase));

function release(name: string, files: string[]): SchemaMigrations[] {
    const shipped = join(folder, name);
    mkdirSync(shipped);
    for (const file of files) cpSync(file, join(shipped, basename(file)));
    return [{ schema: 'people', folder: shipped }];
}

async function connected(t: TestContext, url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    await client.connect();
    t.after(() => client.end());
    return client;
}

describe('migrations', () => {
    it('let the program before and the program of now work side by side on every step', async (t) => {
        const url = databases.pop() as string; // one for each test
        const db = await connected(t, url);
        await migrate(url, first);
        await db.query(`INSERT INTO people.people (id, full_name) VALUES (1, 'Ada')`);

        await migrate(url, second);
        assert.deepEqual([await isMigrated(url, first), await isMigrated(url, second)], [true, true]);
        await db.query(`INSERT INTO people.people (id, full_name) VALUES (2, 'Grace')`); // the first release's
        await db.query(`INSERT INTO people.people (id, name) VALUES (3, 'Barbara')`); // the second's
        const both = await db.query('SELECT full_name, name FROM people.people ORDER BY id');
        const names = ['Ada', 'Grace', 'Barbara'];
        assert.deepEqual(
            both.rows,
            names.map((name) => ({ full_name: name, name })),
        );

        await migrate(url, third);
        assert.deepEqual([await isMigrated(url, second), await isMigrated(url, third)], [true, true]);
        await db.query(`INSERT INTO people.people (id, name) VALUES (4, 'Frances')`);
        const after_all = await db.query('SELECT name FROM people.people ORDER BY id');
        assert.deepEqual(
            after_all.rows.map(({ name }) => name),
            [...names, 'Frances'],
        );
    });

    it('stop a program that a later release has taken something from', async () => {
        const url = databases.pop() as string; // one for each test
        await migrate(url, third);
        await assert.rejects(isMigrated(url, first), SchemaTooNew);
    });

    it('are waited for by a program that is ahead of its database', async () => {
        const url = databases.pop() as string; // one for each test
        assert.equal(await isMigrated(url, first), false);
        await migrate(url, first);
        assert.equal(await isMigrated(url, second), false);
    });

    it('are run once by three runners at once', async () => {
        const url = databases.pop() as string; // one for each test
        const applied = await Promise.all([1, 2, 3].map(() => migrate(url, third)));
        assert.deepEqual(applied.map(({ length }) => length).sort(), [0, 0, FIXTURE.length]);
    });

    it('leave nothing behind when their runner is cut off in the middle, and a rerun applies all', async (t) => {
        const url = databases.pop() as string; // one for each test
        const db = await connected(t, url);
        const stuck = release('stuck', FIXTURE.slice(0, 1));
        writeFileSync(join(folder, 'stuck/002_stuck.sql'), 'SELECT pg_sleep(60);');
        const cut = assert.rejects(migrate(url, stuck));
        for (let ended = 0; ended === 0; ) {
            const { rowCount } = await db.query(
                `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event = 'PgSleep'`,
            );
            ended = rowCount ?? 0;
        }
        await cut;
        assert.equal(await isMigrated(url, first), false);
        assert.equal((await migrate(url, first)).length, 1);
    });
});
