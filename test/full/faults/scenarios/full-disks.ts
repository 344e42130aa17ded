import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from '../../../../deploy/local/processes.ts';
import { isAcknowledged } from '../load/calls.ts';
import type { LaunchTrial, Scenario, Trial } from '../scenario.ts';
import { until } from '../stack/proc.ts';
import { diskObstacle, fillDisk, mountSmallDisk } from '../stack/small-disk.ts';
import type { FaultEnvironment } from '../stack/stack.ts';

const FULL_MS = 6_000;
/** Longest recovery of PostgreSQL, which ends all sessions when it cannot write its log, in milliseconds. */
const RECOVERED_MS = 60_000;
/** Size of the file system under PostgreSQL, in MiB. A new data folder and its write-ahead log take 80. */
const POSTGRES_MIB = 400;
const SMALL_MIB = 64;

const diskOf = (dir: string): string => join(dir, 'disk');

async function fillPostgres({ stack, load, scaled, recovered, target, note }: Trial): Promise<void> {
    const { postgres } = stack;
    const free = await fillDisk(diskOf(stack.dir));
    const began = performance.now();
    // The current segment already has its space on the disk, but the next one does not.
    await postgres.admin('SELECT pg_switch_wal()').catch(() => {});
    await delay(scaled(FULL_MS));
    const refused = load.between(began, performance.now()).filter(({ outcome }) => !isAcknowledged(outcome)).length;
    note(`${refused} requests were refused while the disk was full`);
    target('no request was refused while the disk was full', refused > 0);
    await free();
    if (!isRunning(postgres.pid())) {
        note('PostgreSQL ended with the full disk, and was started again');
        await postgres.end('SIGKILL');
        await postgres.start();
    }
    await until('PostgreSQL has recovered', RECOVERED_MS, () =>
        postgres.admin('SELECT 1').then(
            () => true,
            () => false,
        ),
    );
    await recovered('the disk had room again', performance.now());
}

async function fillRedis({ stack, scaled, recovered, note }: Trial): Promise<void> {
    const free = await fillDisk(diskOf(stack.dir));
    await delay(scaled(FULL_MS));
    await free();
    if (stack.redis.pids().length === 0) {
        note('Redis ended with the full disk, and was started again');
        await stack.redis.start();
    }
    await recovered('the disk had room again', performance.now());
}

const logFile = (dir: string, name: string): string => join(diskOf(dir), `${name}.jsonl`);

async function launchWithLogs({ stack }: LaunchTrial): Promise<void> {
    for (const one of stack.processes) one.setEnvironment({ LOG_FILE: logFile(stack.dir, one.name) });
    await stack.migrate();
    await stack.launch();
}

/** The service must continue without its logs, count the dropped lines, and log again when there is space. */
async function fillLogs({ stack, scaled, recovered, broken, note }: Trial): Promise<void> {
    const free = await fillDisk(diskOf(stack.dir));
    await delay(scaled(FULL_MS));
    await free();
    await delay(1_000);
    const ended = stack.processes.filter(({ crashes }) => crashes() > 0);
    if (ended.length > 0) broken('I6', `a full disk under the logs ended ${ended.map(({ name }) => name).join(', ')}`);
    for (const one of ended) {
        one.launch();
        await one.ready();
    }
    await recovered('the disk had room again', performance.now());
    const [gateway] = stack.gateways;
    if (!gateway) return;
    const size = (): number => statSync(logFile(stack.dir, gateway.name)).size;
    const before = size();
    await delay(3_000);
    if (size() <= before) broken('I6', `${gateway.name} does not log again`);
    note(`${await gateway.metric('log_lines_dropped_total')} lines of ${gateway.name} were dropped`);
}

/** Mounts a small file system in the scenario's folder, and puts the data of `place` on it. */
function onSmallDisk(mebibytes: number, place?: 'postgres' | 'redis') {
    return async (dir: string, environment: FaultEnvironment) => {
        await mountSmallDisk(diskOf(dir), mebibytes, environment);
        return place ? { folders: { [place]: join(diskOf(dir), place) } } : {};
    };
}

const common = { form: 'apart', obstacle: diskObstacle } as const;

export const fullDisks: readonly Scenario[] = [
    {
        ...common,
        id: 'F9',
        fault: 'disk full under PostgreSQL, then freed',
        prepare: onSmallDisk(POSTGRES_MIB, 'postgres'),
        run: fillPostgres,
    },
    {
        ...common,
        id: 'F24',
        fault: 'disk full under the append-only file of Redis',
        prepare: onSmallDisk(SMALL_MIB, 'redis'),
        run: fillRedis,
    },
    {
        ...common,
        id: 'F24',
        fault: 'disk full under the logs',
        mayLose: true,
        prepare: onSmallDisk(SMALL_MIB),
        launch: launchWithLogs,
        run: fillLogs,
    },
];
