import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openDataDir } from '../../../deploy/local/data-dir.ts';
import { startPostgres } from '../../../deploy/local/databases/postgres.ts';
import { linkLibraries } from '../../../deploy/local/databases/postgres-binaries.ts';
import { startRedis } from '../../../deploy/local/databases/redis.ts';
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

test('PostgreSQL keeps its data over a stop, and a stop leaves no process', async (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    const first = await startPostgres({ data_dir, log });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await first.stop();
    assert.deepEqual(processesOf(data_dir), []);
    const second = await startPostgres({ data_dir, log });
    assert.deepEqual(await query(second.url, 'SELECT answer FROM kept'), [{ answer: 42 }]);
    await second.stop();
});

test('PostgreSQL syncs every commit, and lets nobody in without its password or as a superuser', async (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    const { url, stop } = await startPostgres({ data_dir, log });
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

test('an initdb that was interrupted is begun again', async (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    mkdirSync(join(data_dir, 'postgres.new'));
    writeFileSync(join(data_dir, 'postgres.new', 'PG_VERSION'), '18\n');
    const { url, stop } = await startPostgres({ data_dir, log });
    assert.deepEqual(await query(url, 'SELECT 1 AS one'), [{ one: 1 }]);
    await stop();
});

test("the libraries' links are made where npm's install scripts were blocked", (t) => {
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

test('Redis keeps its data over a stop, evicts nothing and wants its password', async (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    const first = await startRedis({ data_dir, log });
    await command(first.url, 'SET', 'kept', '42');
    await first.stop();
    await first.stop();
    assert.deepEqual(processesOf(data_dir), []);
    const second = await startRedis({ data_dir, log });
    assert.equal(await command(second.url, 'GET', 'kept'), '42');
    for (const [name, value] of Object.entries({ appendonly: 'yes', 'maxmemory-policy': 'noeviction' })) {
        assert.deepEqual(await command(second.url, 'CONFIG', 'GET', name), [name, value]);
    }
    const { host } = new URL(second.url);
    await assert.rejects(command(`redis://${host}`, 'GET', 'kept'), /NOAUTH/);
    await second.stop();
    assert.deepEqual(processesOf(data_dir), []);
});
