import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
    CLONE,
    freePorts,
    type Launched,
    launch,
    pidOf,
    processesOf,
    runNpm,
    temporaryDataDir,
    unfinishedRequest,
    until,
} from './launch.ts';
import { people } from './people.ts';

const LAUNCHER = /deploy\/local\/start\.ts/;

/** Writes until the service is gone, starts it again, and checks that it still has every acknowledged write. */
async function survives(t: TestContext, end: (running: Launched, dataDir: string) => Promise<unknown>): Promise<void> {
    const dataDir = temporaryDataDir(t);
    const { registerUntilGone, register, canLogIn } = people(dataDir);
    const first = await launch(t, 'start', { DATA_DIR: dataDir });
    const before = await register(first.url);
    const { acknowledged, gone } = registerUntilGone(first.url);
    await until('some writes are acknowledged', () => acknowledged.length >= 5);
    await end(first, dataDir);
    await gone;

    const second = await launch(t, 'start', { DATA_DIR: dataDir });
    for (const email of [before, ...acknowledged]) {
        assert.ok(await canLogIn(second.url, email), 'an acknowledged write is lost');
    }
    await register(second.url);
    second.npm.kill('SIGTERM');
    assert.deepEqual(await second.exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(dataDir), []);
}

test('the service exits with 1 when its database is killed, and the next start has every acknowledged write', (t) =>
    survives(t, async ({ exit }, dataDir) => {
        const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
        process.kill(Number(postmaster), 'SIGKILL');
        assert.equal((await exit).code, 1);
    }));

test('SIGTERM to npm stops everything, and the next start has every acknowledged write', async (t) => {
    await survives(t, async ({ npm, exit }, dataDir) => {
        npm.kill('SIGTERM');
        assert.deepEqual(await exit, { code: 0, signal: null });
        assert.deepEqual(processesOf(dataDir), []);
    });
});

test('signals to the process group within a second cause one orderly stop and lose no request in flight', async (t) => {
    await survives(t, async ({ url, signalGroup, exit }, dataDir) => {
        const request = await unfinishedRequest(url, dataDir);
        for (let press = 0; press < 3; press++) {
            signalGroup('SIGINT');
            await delay(100); // as fast as a person presses keys
        }
        request.write('1234567890');
        const [answer] = await once(request, 'data');
        assert.match(String(answer), /^HTTP\/1.1 400 /, 'the request in flight is still answered');
        assert.deepEqual(await exit, { code: 0, signal: null });
        assert.deepEqual(processesOf(dataDir), []);
    });
});

test('after kill -9 of the launcher the next start takes over its databases and every acknowledged write', async (t) => {
    await survives(t, async ({ exit }, dataDir) => {
        process.kill(pidOf(dataDir, LAUNCHER), 'SIGKILL');
        await exit;
        assert.ok(pidOf(dataDir, /postgres/) > 0, 'without an orphaned database this tests nothing');
    });
});

test('kill -9 of npm stops the service, and a start right afterwards waits for that', async (t) => {
    await survives(t, async ({ npm, exit }) => {
        npm.kill('SIGKILL');
        await exit;
    });
});

test('a second Ctrl-C after more than a second stops at once and leaves no database behind', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { url, signalGroup, exit, output } = await launch(t, 'start', { DATA_DIR: dataDir });
    const stuck = await unfinishedRequest(url, dataDir);
    let ended = false;
    void exit.then(() => {
        ended = true;
    });
    while (!ended) {
        signalGroup('SIGINT');
        await Promise.race([exit, delay(300)]);
    }
    stuck.destroy();
    assert.match(output(), /Stopping at once/);
    assert.notEqual((await exit).code, 0);
    assert.deepEqual(processesOf(dataDir), []);
});

test('a signal during the start leaves nothing behind', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { signalGroup, exit } = runNpm(t, 'start', { PORT: '0', DATA_DIR: dataDir });
    await until('PostgreSQL is being set up', () => existsSync(`${dataDir}/postgres.new`));
    signalGroup('SIGINT');
    assert.deepEqual(await exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(dataDir), []);
});

test('two starts with different PORT and DATA_DIR run side by side and do not affect each other', async (t) => {
    const homes = [temporaryDataDir(t), temporaryDataDir(t)] as const;
    const ports = await freePorts(2);
    const [left, right] = await Promise.all([
        launch(t, 'start', { DATA_DIR: homes[0], PORT: String(ports[0]) }),
        launch(t, 'start', { DATA_DIR: homes[1], PORT: String(ports[1]) }),
    ]);
    assert.deepEqual(
        [left.url, right.url],
        ports.map((port) => `http://127.0.0.1:${port}`),
    );

    const email = await people(homes[0]).register(left.url);
    assert.equal(await people(homes[1]).canLogIn(right.url, email), false);
    left.npm.kill('SIGTERM');
    await left.exit;
    assert.deepEqual(processesOf(homes[0]), []);
    await people(homes[1]).register(right.url);
    right.npm.kill('SIGTERM');
    await right.exit;
    assert.deepEqual(processesOf(homes[1]), []);
});

test('the printed demo command, pasted into another terminal, finds the service wherever it runs', async (t) => {
    const { output } = await launch(t, 'start', { DATA_DIR: temporaryDataDir(t) });
    const [, command = ''] = /^ {2}(.*npm run demo) {4}#/m.exec(output()) ?? [];
    const terminal = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: CLONE, env: terminal, encoding: 'utf8' });
    assert.equal(status, 0, `${command}\n${stderr}`);
});

test('a second start on the same DATA_DIR is refused with the pid of the first, which keeps running', async (t) => {
    const dataDir = temporaryDataDir(t);
    const first = await launch(t, 'start', { DATA_DIR: dataDir });
    const launcher = pidOf(dataDir, LAUNCHER);
    const second = runNpm(t, 'start', { DATA_DIR: relative(CLONE, dataDir), PORT: '0' });
    assert.notEqual((await second.exit).code, 0);
    assert.match(second.output(), new RegExp(`in use by another start, pid ${launcher}\\b`));
    await people(dataDir).register(first.url);
    first.npm.kill('SIGTERM');
    await first.exit;
    assert.deepEqual(processesOf(dataDir), []);
});
