import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openDataDir } from '../../../../deploy/local/data-dir.ts';
import { startPostgres } from '../../../../deploy/local/databases/postgres.ts';
import { linkLibraries } from '../../../../deploy/local/databases/postgres-binaries.ts';
import { startRedis } from '../../../../deploy/local/databases/redis.ts';
import { processesOf, temporaryDataDir } from './launch.ts';

const log = (): void => undefined;

async function query(url: string, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
        return (await client.query(text)).rows;
    } finally {
        await client.end();
    }
}

async function command(url: string, ...words: [string, ...string[]]): Promise<unknown> {
    const client = new Redis(url, { retryStrategy: () => null });
    client.on('error', () => undefined); // the command below is rejected
    try {
        return await client.call(...words);
    } finally {
        client.disconnect();
    }
}

test('PostgreSQL keeps its data after a stop, and a stop leaves no process behind', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const first = await startPostgres({ dataDir, log });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await first.stop();
    assert.deepEqual(processesOf(dataDir), []);
    const second = await startPostgres({ dataDir, log });
    assert.deepEqual(await query(second.url, 'SELECT answer FROM kept'), [{ answer: 42 }]);
    await second.stop();
});

test('PostgreSQL syncs every commit, requires its password, and its role is no superuser', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const { url, stop } = await startPostgres({ dataDir, log });
    const settings = await query(url, "SELECT current_setting('fsync') f, current_setting('synchronous_commit') s");
    assert.deepEqual(settings, [{ f: 'on', s: 'on' }]);
    assert.deepEqual(await query(url, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user'), [
        { rolsuper: false },
    ]);
    for (const password of ['', 'guess']) {
        const wrong = new URL(url);
        wrong.password = password;
        await assert.rejects(query(wrong.href, 'SELECT 1'), /password/);
    }
    await stop();
});

test('an interrupted initdb is repeated', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    mkdirSync(join(dataDir, 'postgres.new'));
    writeFileSync(join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n');
    const { url, stop } = await startPostgres({ dataDir, log });
    assert.deepEqual(await query(url, 'SELECT 1 AS one'), [{ one: 1 }]);
    await stop();
});

test("the links of the libraries are created if npm's install scripts were blocked", (t) => {
    const root = openDataDir(temporaryDataDir(t));
    mkdirSync(join(root, 'native/lib'), { recursive: true });
    writeFileSync(join(root, 'native/lib/libpq.so.5.18'), '');
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
    writeFileSync(join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
    linkLibraries(root);
    linkLibraries(root);
    assert.equal(readlinkSync(join(root, 'native/lib/libpq.so.5')), 'libpq.so.5.18');
    assert.ok(existsSync(join(root, 'native/lib/libpq.so.5')));
});

test('Redis keeps its data after a stop, evicts nothing and requires its password', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const first = await startRedis({ dataDir, log });
    await command(first.url, 'SET', 'kept', '42');
    await first.stop();
    await first.stop();
    assert.deepEqual(processesOf(dataDir), []);
    const second = await startRedis({ dataDir, log });
    assert.equal(await command(second.url, 'GET', 'kept'), '42');
    for (const [name, value] of Object.entries({ appendonly: 'yes', 'maxmemory-policy': 'noeviction' })) {
        assert.deepEqual(await command(second.url, 'CONFIG', 'GET', name), [name, value]);
    }
    const { host } = new URL(second.url);
    await assert.rejects(command(`redis://${host}`, 'GET', 'kept'), /NOAUTH/);
    await second.stop();
    assert.deepEqual(processesOf(dataDir), []);
});
