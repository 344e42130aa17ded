import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDataDir } from '../../../deploy/local/data-dir.ts';
import { findRedis } from '../../../deploy/local/databases/redis-program.ts';
import { temporaryDataDir } from './launch.ts';

const REDIS_7 = 'echo "Redis server v=7.0.15 sha=0"';
/** Stand-ins for apt and dpkg: "download" makes an empty package, "-x" unpacks a Redis from it. */
const ARCHIVE = {
    'apt-get': `case "$*" in *-s*install*) echo "Inst redis-server (7)";; *download*) : >redis-server.deb;; esac`,
    dpkg: `/bin/mkdir -p "$3/usr/bin" "$3/usr/lib/x86_64-linux-gnu" && echo '#!/bin/sh\n${REDIS_7}' >"$3/usr/bin/redis-server" && /bin/chmod +x "$3/usr/bin/redis-server"`,
};

/** A machine that has these programs (shell scripts by name) and an empty home, until the test ends. */
function machine(t: TestContext, programs: Record<string, string>): { data_dir: string; cache: string } {
    const data_dir = openDataDir(temporaryDataDir(t));
    const [bin, cache] = [join(data_dir, 'bin'), join(data_dir, 'home-cache')];
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
    return { data_dir, cache: join(cache, 'credential-service') };
}

const log = (): void => undefined;

test('a Redis or Valkey on PATH is taken first, unless it is too old', async (t) => {
    const { data_dir } = machine(t, {
        'redis-server': 'echo "Redis server v=6.0.16 sha=0"',
        'valkey-server': 'echo "Valkey server v=8.1.1 sha=0"',
        ...ARCHIVE,
    });
    const { command } = await findRedis({ data_dir, log });
    assert.match(command.join(' '), /bin\/valkey-server$/);
});

test('where there is none, it is fetched once into the cache of the user, by two starts at once too', async (t) => {
    const { data_dir, cache } = machine(t, ARCHIVE);
    const lines: string[] = [];
    const search = { data_dir, log: (line: string) => lines.push(line) };
    const both = await Promise.all([findRedis(search), findRedis(search)]);
    assert.ok(both.every(({ command }) => command[0]?.startsWith(cache)));
    const fetches = lines.length;
    assert.deepEqual(await findRedis(search), both[0]);
    assert.equal(lines.length, fetches, 'a third start fetches nothing');
    assert.equal(readdirSync(cache).length, 1, 'no half-fetched folder stays');
});

test('a fetched Redis that runs no more is fetched again', async (t) => {
    const { data_dir } = machine(t, ARCHIVE);
    const { command } = await findRedis({ data_dir, log });
    writeFileSync(String(command[0]), '#!/bin/sh\nexit 127\n');
    const lines: string[] = [];
    await findRedis({ data_dir, log: (line) => lines.push(line) });
    assert.equal(lines.length, 1);
});

test('without a home to write to, it is fetched into DATA_DIR', async (t) => {
    const { data_dir, cache } = machine(t, ARCHIVE);
    writeFileSync(join(cache, '..'), 'not a folder');
    const { command } = await findRedis({ data_dir, log });
    assert.ok(command[0]?.startsWith(join(data_dir, 'cache')));
});

test('an engine that answers runs it in a container, with the data of this start', async (t) => {
    const docker = `case "$1" in info) exit 0;; run) ${REDIS_7};; esac`;
    const { data_dir } = machine(t, { brew: 'echo "not as root" >&2; exit 1', docker });
    const { command } = await findRedis({ data_dir, log });
    assert.ok(command.includes(`${data_dir}/redis:/data`));
});

test('where nothing works, the message says what was tried and names every way out', async (t) => {
    const { data_dir } = machine(t, { 'apt-get': 'echo "no network" >&2; exit 100', dpkg: '', docker: 'exit 1' });
    await assert.rejects(findRedis({ data_dir, log }), (error: Error) => {
        for (const word of ['no network', 'REDIS_URL', 'redis-server', 'valkey-server', 'brew', 'docker', 'podman']) {
            assert.ok(error.message.includes(word), `${word} is missing in: ${error.message}`);
        }
        return true;
    });
});
