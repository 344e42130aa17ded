import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
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

type End = (running: Launched, dataDir: string) => Promise<void>;

async function endsWell({ exit }: Launched, dataDir: string): Promise<void> {
    assert.deepEqual(await exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(dataDir), []);
}

const ENDS: Record<string, End> = {
    'the kill of its database, after which the service exits with 1': async ({ exit }, dataDir) => {
        const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
        process.kill(Number(postmaster), 'SIGKILL');
        assert.equal((await exit).code, 1);
    },
    'SIGTERM to npm': async (running, dataDir) => {
        running.npm.kill('SIGTERM');
        await endsWell(running, dataDir);
    },
    'signals to the process group within a second, which are one orderly stop': async (running, dataDir) => {
        const request = await unfinishedRequest(running.url, dataDir);
        for (let press = 0; press < 3; press++) {
            running.signalGroup('SIGINT');
            await delay(100); // as fast as a person presses keys
        }
        request.write('1234567890');
        const [answer] = await once(request, 'data');
        assert.match(String(answer), /^HTTP\/1.1 400 /, 'the request in flight is still answered');
        await endsWell(running, dataDir);
    },
    'a second Ctrl-C after more than a second, which stops at once': async (running, dataDir) => {
        const { url, signalGroup, exit, output } = running;
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
    },
    'kill -9 of the launcher, whose databases the next start takes over': async ({ exit }, dataDir) => {
        process.kill(pidOf(dataDir, LAUNCHER), 'SIGKILL');
        await exit;
        assert.ok(pidOf(dataDir, /postgres/) > 0, 'without an orphaned database this tests nothing');
    },
    'kill -9 of npm, which the next start waits for': async ({ npm, exit }) => {
        npm.kill('SIGKILL');
        await exit;
    },
};

test('the next start has every acknowledged write after', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { registerUntilGone, register, canLogIn } = people(dataDir);
    let running = await launch(t, 'start', { DATA_DIR: dataDir });
    const written = [await register(running.url)];
    for (const [what, end] of Object.entries(ENDS)) {
        await t.test(what, async () => {
            const { acknowledged, gone } = registerUntilGone(running.url);
            await until('some writes are acknowledged', () => acknowledged.length >= 5);
            await end(running, dataDir);
            await gone;
            written.push(...acknowledged);
            running = await launch(t, 'start', { DATA_DIR: dataDir });
            for (const email of written) assert.ok(await canLogIn(running.url, email), 'an acknowledged write is lost');
            written.push(await register(running.url));
        });
    }
    running.npm.kill('SIGTERM');
    await endsWell(running, dataDir);
});

test('a signal during the start leaves nothing behind', async (t) => {
    const dataDir = temporaryDataDir(t);
    const { signalGroup, exit } = runNpm(t, 'start', { PORT: '0', DATA_DIR: dataDir });
    await until('PostgreSQL is being set up', () => existsSync(`${dataDir}/postgres.new`));
    signalGroup('SIGINT');
    assert.deepEqual(await exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(dataDir), []);
});

test('two starts with different PORT and DATA_DIR run side by side', async (t) => {
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

    await t.test('a further start on the same DATA_DIR is refused with the pid of the first', async () => {
        const second = runNpm(t, 'start', { DATA_DIR: relative(CLONE, homes[0]), PORT: '0' });
        assert.notEqual((await second.exit).code, 0);
        assert.match(second.output(), new RegExp(`in use by another start, pid ${pidOf(homes[0], LAUNCHER)}\\b`));
    });
    await t.test('the printed demo command, pasted into another terminal, finds the service', () => {
        const [, command = ''] = /^ {2}(.*npm run demo) {4}#/m.exec(right.output()) ?? [];
        const terminal = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
        const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: CLONE, env: terminal, encoding: 'utf8' });
        assert.equal(status, 0, `${command}\n${stderr}`);
    });
    await t.test('they do not affect each other', async () => {
        const email = await people(homes[0]).register(left.url);
        assert.equal(await people(homes[1]).canLogIn(right.url, email), false);
        left.npm.kill('SIGTERM');
        await endsWell(left, homes[0]);
        await people(homes[1]).register(right.url);
        right.npm.kill('SIGTERM');
        await endsWell(right, homes[1]);
    });
});
