import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runningPostgres } from '../../../../deploy/local/databases/postgres.ts';
import { outlivesHang } from './hang.ts';
import { type Launched, launch, processesOf, runNpm, temporaryDataDir, unfinishedRequest, until } from './launch.ts';
import { statusOf } from './own-connection.ts';
import { people } from './people.ts';

const LAUNCHER = /deploy\/local\/start\.ts/;
const SERVICE = /main\.ts all/;

/** The pids of the service processes of a data folder. */
const servicesOf = (dataDir: string): number[] =>
    processesOf(dataDir).flatMap(({ pid, command }) => (SERVICE.test(command) ? [pid] : []));

function launcherOf(dataDir: string): number {
    const launcher = processesOf(dataDir).find(({ command }) => LAUNCHER.test(command) && !command.includes('sh -c'));
    assert.ok(launcher, 'the launcher runs');
    return launcher.pid;
}

/** Starts the service with `count` processes. */
async function launchMany(t: TestContext, count: number) {
    const dataDir = temporaryDataDir(t);
    const running = await launch(t, 'start', { DATA_DIR: dataDir, PROCESSES: String(count) });
    return { ...running, dataDir, ops: /Operations +(http:\S+)/.exec(running.output())?.[1] ?? '' };
}

async function stop({ npm, exit }: Launched, dataDir: string): Promise<void> {
    npm.kill('SIGTERM');
    assert.deepEqual(await exit, { code: 0, signal: null });
    assert.deepEqual(processesOf(dataDir), []);
}

/** The samples of a metric that have a value, of a scrape that both processes answered in time. */
async function samples(ops: string, name: string): Promise<Array<{ labels: string; value: number }>> {
    const text = await until('both processes answer a scrape', async () => {
        const scraped = await (await fetch(`${ops}/metrics`)).text();
        return /^processes_answering\{.*\} 2$/m.test(scraped) && scraped;
    });
    return Array.from(text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm')), ([, labels = '', value]) => ({
        labels,
        value: Number(value),
    }));
}

/** Sends requests on new and on kept connections until it is stopped. Returns how many failed, and why. */
function askConstantly(url: string) {
    let over = false;
    const seen = { answered: 0, failures: [] as string[] };
    const ask = async (connection: 'close' | 'keep-alive'): Promise<void> => {
        while (!over) {
            await fetch(`${url}/internal/health`, { headers: { connection } })
                .then(async (answer) => {
                    await answer.text();
                    if (answer.status === 200) seen.answered++;
                    else seen.failures.push(`status ${answer.status}`);
                })
                .catch((error: Error) => seen.failures.push(`${connection}: ${error.cause ?? error}`));
            await delay(5);
        }
    };
    const clients = (['close', 'keep-alive', 'close', 'keep-alive'] as const).map(ask);
    return {
        seen,
        async stop() {
            over = true;
            await Promise.all(clients);
            return seen;
        },
    };
}

/** Sends a signal of the terminal while processes are being replaced. */
async function drainsOnce(
    { url, signalGroup, exit, output, dataDir }: Awaited<ReturnType<typeof launchMany>>,
    signal: 'SIGINT' | 'SIGHUP',
): Promise<void> {
    const stuck = await unfinishedRequest(url, dataDir);
    process.kill(launcherOf(dataDir), 'SIGUSR2');
    await until('a new process starts', () => servicesOf(dataDir).length === 3);
    await delay(4_000); // so that an old one drains for more than a second: a further signal would end it
    const before = output().length;
    signalGroup(signal);
    await delay(300);
    stuck.write('1234567890');
    const [answer] = await once(stuck, 'data');
    assert.match(String(answer), /^HTTP\/1.1 400 /, 'the request in flight is still answered');
    await exit; // npm ends with SIGHUP itself, before the launcher
    await until('all processes have ended', () => processesOf(dataDir).length === 0);
    assert.doesNotMatch(output().slice(before), /starting it again/);
}

test('two processes serve as one', async (t) => {
    const running = await launchMany(t, 2);
    const { url, dataDir, output, ops } = running;

    await t.test('metrics of all processes add up, and connections to PostgreSQL stay within the limit', async () => {
        const route = 'route="internal.health"';
        for (let request = 0; request < 30; request++) {
            await statusOf(`${url}/internal/health`);
        }
        const counts = (await samples(ops, 'http_request_duration_seconds_count')).filter(({ labels }) =>
            labels.includes(route),
        );
        assert.equal(
            counts.reduce((sum, { value }) => sum + value, 0),
            30,
        );
        const serving = await samples(ops, 'process_serving');
        assert.deepEqual(
            serving.map(({ labels }) => labels).sort(),
            [1, 2].map((n) => `process="process-${n}"`),
        );
        assert.equal((await fetch(`${ops}/readyz`)).status, 200);

        const db = new pg.Client({ connectionString: runningPostgres(dataDir) });
        await db.connect();
        const { rows } = await db.query(
            "SELECT count(*)::int AS open FROM pg_stat_activity WHERE usename = 'credentials'",
        );
        await db.end();
        assert.ok(rows[0].open - 1 <= 2 * 4, `${rows[0].open - 1} connections of 2 processes`);
    });

    await t.test('SIGUSR2 replaces one process after the other, and fails no request', async () => {
        const old = servicesOf(dataDir);
        const clients = askConstantly(url);
        process.kill(launcherOf(dataDir), 'SIGUSR2');
        await until('both are replaced', () => /process-2 is replaced/.test(output()));
        await delay(200);
        const { answered, failures } = await clients.stop();
        assert.deepEqual(failures, []);
        assert.ok(answered > 100, `only ${answered} requests were answered`);
        const fresh = servicesOf(dataDir);
        assert.equal(fresh.length, 2);
        assert.ok(!fresh.some((pid) => old.includes(pid)), 'both processes are new');
    });

    await t.test('a process that is killed is started again while the other serves, and no write is lost', async () => {
        const { register, canLogIn } = people(dataDir);
        const before = await register(url);
        const [killed, other] = servicesOf(dataDir);
        assert.ok(killed !== undefined && other !== undefined, 'there are two processes');
        process.kill(killed, 'SIGKILL');
        await until('it is gone', () => !servicesOf(dataDir).includes(killed)); // it resets the connections it accepted
        for (let request = 0; request < 50; request++) {
            assert.equal(await statusOf(`${url}/internal/health`), 200);
        }
        await until('the process runs again', () => /process-\d runs again \(pid \d+\)/.test(output()));
        await until('there are two processes', () => servicesOf(dataDir).length === 2);
        assert.ok(servicesOf(dataDir).includes(other), 'the other one has not been touched');
        assert.ok(await canLogIn(url, before));
        assert.deepEqual(await samples(ops, 'processes_ended_total'), [{ labels: 'process="launcher"', value: 1 }]);
        await until('both serve', async () => {
            const serving = await samples(ops, 'process_serving');
            return serving.filter(({ value }) => value === 1).length === 2;
        });
    });

    await t.test('a process that hangs is replaced while the other serves, and no write is lost', async () => {
        const [hanging, other] = servicesOf(dataDir);
        assert.ok(hanging !== undefined && other !== undefined, 'there are two processes');
        await outlivesHang({
            url,
            dataDir,
            hang: () => process.kill(hanging, 'SIGSTOP'),
            replaced: () => output().includes(`(pid ${hanging}) has not answered for 10 s, killing it`),
        });
        await until('there are two processes', () => servicesOf(dataDir).length === 2);
        assert.ok(servicesOf(dataDir).includes(other), 'the other one has not been touched');
        assert.deepEqual(await samples(ops, 'processes_ended_total'), [{ labels: 'process="launcher"', value: 2 }]);
    });

    await t.test('SIGINT of the terminal during a rolling restart drains all processes once', () =>
        drainsOnce(running, 'SIGINT'),
    );
});

test('SIGHUP of the terminal during a rolling restart drains all processes once', async (t) =>
    drainsOnce(await launchMany(t, 2), 'SIGHUP'));

test('SIGUSR2 replaces a single process', async (t) => {
    const running = await launchMany(t, 1);
    const { url, dataDir, output } = running;
    process.kill(launcherOf(dataDir), 'SIGUSR2');
    await until('it is replaced', () => /process-1 is replaced/.test(output()));
    assert.equal(await statusOf(`${url}/internal/health`), 200);
    await stop(running, dataDir);
});

test('a process that ends during the start ends the start, with the file that says why', async (t) => {
    const dataDir = temporaryDataDir(t);
    const settings = { PORT: '0', PROCESSES: '2', DATA_DIR: dataDir, JWT_KEYS: 'not a key' };
    const { exit, output } = runNpm(t, 'start', settings);
    assert.equal((await exit).code, 1);
    const [, file = ''] = /^process-\d ended during the start \(exit code 1\); see (.+)$/m.exec(output()) ?? [];
    assert.match(readFileSync(file, 'utf8'), /JWT_KEYS must hold Ed25519 keys/);
    assert.deepEqual(processesOf(dataDir), []);
});

test('PROCESSES that is not a number from 1 to 64 is refused', async (t) => {
    const { exit, output } = runNpm(t, 'start', { PORT: '0', PROCESSES: '65', DATA_DIR: temporaryDataDir(t) });
    assert.equal((await exit).code, 1);
    assert.match(output(), /^PROCESSES must be a whole number from 1 to 64\.$/m);
});
