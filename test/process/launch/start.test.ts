import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { people } from '../canaries/people.ts';
import {
    CLONE,
    freePorts,
    type Launched,
    launch,
    pidOf,
    processesOf,
    runNpm,
    temporaryDataDir,
    until,
} from './launch.ts';

const LAUNCHER = /deploy\/local\/start\.ts/;

/** Writes until the service is gone, starts it again, and requires all acknowledged writes of both lives. */
async function survives(t: TestContext, end: (running: Launched, data_dir: string) => Promise<unknown>): Promise<void> {
    const data_dir = temporaryDataDir(t);
    const { registerUntilGone, register, canLogIn } = people(data_dir);
    const first = await launch(t, 'start', { DATA_DIR: data_dir });
    const before = await register(first.url);
    const { acknowledged, gone } = registerUntilGone(first.url);
    await until('some writes are acknowledged', () => acknowledged.length >= 5);
    await end(first, data_dir);
    await gone;

    const second = await launch(t, 'start', { DATA_DIR: data_dir });
    for (const email of [before, ...acknowledged]) {
        assert.ok(await canLogIn(second.url, email), 'an acknowledged write is gone');
    }
    await register(second.url);
    second.npm.kill('SIGTERM');
    assert.deepEqual(await second.exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(data_dir), []);
}

test('a database that is killed ends the service, which says so, and the next start has every acknowledged write', (t) =>
    survives(t, async ({ exit }, data_dir) => {
        const [postmaster] = readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
        process.kill(Number(postmaster), 'SIGKILL');
        assert.equal((await exit).code, 1);
    }));

test('SIGTERM to npm stops everything, and the next start has every acknowledged write', async (t) => {
    await survives(t, async ({ npm, exit }, data_dir) => {
        npm.kill('SIGTERM');
        assert.deepEqual(await exit, { code: 0, signal: null });
        assert.deepEqual(processesOf(data_dir), []);
    });
});

test('signals to the whole process group within one second are one orderly stop, which answers what is in flight', async (t) => {
    await survives(t, async ({ url, signalGroup, exit }, data_dir) => {
        const request = await unfinishedRequest(url, data_dir);
        for (let press = 0; press < 3; press++) {
            signalGroup('SIGINT');
            await delay(100); // as fast as a person presses keys
        }
        request.write('1234567890');
        const [answer] = await once(request, 'data');
        assert.match(String(answer), /^HTTP\/1.1 400 /, 'what was in flight is still answered');
        assert.deepEqual(await exit, { code: 0, signal: null });
        assert.deepEqual(processesOf(data_dir), []);
    });
});

test('after kill -9 of the launcher, the next start takes its databases over with every acknowledged write', async (t) => {
    await survives(t, async ({ exit }, data_dir) => {
        process.kill(pidOf(data_dir, LAUNCHER), 'SIGKILL');
        await exit;
        assert.ok(pidOf(data_dir, /postgres/) > 0, 'this tests nothing without an orphan');
    });
});

test('kill -9 of npm stops the service, and a start at once afterwards waits for that', async (t) => {
    await survives(t, async ({ npm, exit }) => {
        npm.kill('SIGKILL');
        await exit;
    });
});

test('a second Ctrl-C after more than a second stops at once and leaves no database behind', async (t) => {
    const data_dir = temporaryDataDir(t);
    const { url, signalGroup, exit, output } = await launch(t, 'start', { DATA_DIR: data_dir });
    const stuck = await unfinishedRequest(url, data_dir);
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
    assert.deepEqual(processesOf(data_dir), []);
});

test('a signal while it is still starting leaves nothing behind', async (t) => {
    const data_dir = temporaryDataDir(t);
    const { signalGroup, exit } = runNpm(t, 'start', { PORT: '0', DATA_DIR: data_dir });
    await until('PostgreSQL is being set up', () => existsSync(`${data_dir}/postgres.new`));
    signalGroup('SIGINT');
    assert.deepEqual(await exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(data_dir), []);
});

test('two starts with other PORT and DATA_DIR run side by side and know nothing of each other', async (t) => {
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

test('a second start on the same DATA_DIR is refused with the pid of the first, which goes on', async (t) => {
    const data_dir = temporaryDataDir(t);
    const first = await launch(t, 'start', { DATA_DIR: data_dir });
    const launcher = pidOf(data_dir, LAUNCHER);
    const second = runNpm(t, 'start', { DATA_DIR: relative(CLONE, data_dir), PORT: '0' });
    assert.notEqual((await second.exit).code, 0);
    assert.match(second.output(), new RegExp(`in use by another start, pid ${launcher}\\b`));
    await people(data_dir).register(first.url);
    first.npm.kill('SIGTERM');
    await first.exit;
    assert.deepEqual(processesOf(data_dir), []);
});

/** A request in flight whose body never comes: it keeps an orderly stop waiting. */
async function unfinishedRequest(url: string, data_dir: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = {
        Host: hostname,
        'X-Internal-Secret': readFileSync(`${data_dir}/internal-secret`, 'utf8').trim(),
        'Content-Type': 'application/json',
        'Content-Length': '10',
        Expect: '100-continue',
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /internal/v1/auth/login HTTP/1.1\r\n${lines.join('')}\r\n`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 100 /, 'the service waits for the body');
    return socket;
}
