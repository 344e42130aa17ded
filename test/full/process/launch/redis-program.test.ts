import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDataDir } from '../../../../deploy/local/data-dir.ts';
import { findRedis } from '../../../../deploy/local/databases/redis-program.ts';
import { temporaryDataDir } from './launch.ts';

const REDIS_7 = 'echo "Redis server v=7.0.15 sha=0"';
/** Stand-ins for apt and dpkg: "download" creates an empty package, "-x" unpacks a Redis from it. */
const ARCHIVE = {
    'apt-get': `case "$*" in *-s*install*) echo "Inst redis-server (7)";; *download*) : >redis-server.deb;; esac`,
    dpkg: `/bin/mkdir -p "$3/usr/bin" "$3/usr/lib/x86_64-linux-gnu" && echo '#!/bin/sh\n${REDIS_7}' >"$3/usr/bin/redis-server" && /bin/chmod +x "$3/usr/bin/redis-server"`,
};

/** Simulates a machine with these programs only (shell scripts by name) and an empty home, until the test ends. */
function machine(t: TestContext, programs: Record<string, string>): { dataDir: string; cache: string } {
    const dataDir = openDataDir(temporaryDataDir(t));
    const [bin, cache] = [join(dataDir, 'bin'), join(dataDir, 'home-cache')];
    mkdirSync(bin);
    for (const [name, script] of Object.entries(programs)) {
        writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const { PATH, XDG_CACHE_HOME } = process.env;
    Object.assign(process.env, { PATH: bin, XDG_CACHE_HOME: cache });
    t.after(() => {
        Object.assign(process.env, { PATH, XDG_CACHE_HOME });
        if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    });
    return { dataDir, cache: join(cache, 'credential-service') };
}

const log = (): void => undefined;

test('a Redis or Valkey on PATH is used first, unless it is too old', async (t) => {
    const { dataDir } = machine(t, {
        'redis-server': 'echo "Redis server v=6.0.16 sha=0"',
        'valkey-server': 'echo "Valkey server v=8.1.1 sha=0"',
        ...ARCHIVE,
    });
    const { command } = await findRedis({ dataDir, log });
    assert.match(command.join(' '), /bin\/valkey-server$/);
});

test('without one on PATH, Redis is fetched once into the user’s cache, also by two concurrent starts', async (t) => {
    const { dataDir, cache } = machine(t, ARCHIVE);
    const lines: string[] = [];
    const search = { dataDir, log: (line: string) => lines.push(line) };
    const both = await Promise.all([findRedis(search), findRedis(search)]);
    assert.ok(both.every(({ command }) => command[0]?.startsWith(cache)));
    const fetches = lines.length;
    assert.deepEqual(await findRedis(search), both[0]);
    assert.equal(lines.length, fetches, 'a third start fetches nothing');
    assert.equal(readdirSync(cache).length, 1, 'no half-fetched folder stays');
});

test('a fetched Redis that no longer runs is fetched again', async (t) => {
    const { dataDir } = machine(t, ARCHIVE);
    const { command } = await findRedis({ dataDir, log });
    writeFileSync(String(command[0]), '#!/bin/sh\nexit 127\n');
    const lines: string[] = [];
    await findRedis({ dataDir, log: (line) => lines.push(line) });
    assert.equal(lines.length, 1);
});

test('a fetched Redis that does not answer stays until another one is fetched', async (t) => {
    const { dataDir } = machine(t, ARCHIVE);
    const { command } = await findRedis({ dataDir, log });
    const program = '#!/bin/sh\nkill -INT $$\n'; // as Ctrl-C does, which reaches what a start has started, too
    writeFileSync(String(command[0]), program);
    writeFileSync(join(dataDir, 'bin', 'apt-get'), '#!/bin/sh\nexit 100\n');
    await assert.rejects(findRedis({ dataDir, log }), /No Redis could be found or fetched/);
    assert.equal(readFileSync(String(command[0]), 'utf8'), program);
});

test('without a writable home, Redis is fetched into DATA_DIR', async (t) => {
    const { dataDir, cache } = machine(t, ARCHIVE);
    writeFileSync(join(cache, '..'), 'not a folder');
    const { command } = await findRedis({ dataDir, log });
    assert.ok(command[0]?.startsWith(join(dataDir, 'cache')));
});

test('if nothing works, the error says what was tried and names every alternative', async (t) => {
    const { dataDir } = machine(t, { 'apt-get': 'echo "no network" >&2; exit 100', dpkg: '' });
    await assert.rejects(findRedis({ dataDir, log }), (error: Error) => {
        for (const word of ['no network', 'REDIS_URL', 'redis-server', 'valkey-server']) {
            assert.ok(error.message.includes(word), `${word} is missing in: ${error.message}`);
        }
        return true;
    });
});
