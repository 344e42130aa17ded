import type { ChildProcess, StdioOptions } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { closeSync, openSync } from 'node:fs';
import type { Environment } from '../../../platform/process/config.ts';
import { EXIT_WITH_PARENT, MAIN } from '../role-process.ts';

/** Processes that load their modules and wait for their settings. */
const waiting: Worker[] = [];

/** Starts `count` processes that `startWithSharedPorts` can use as soon as their settings are known. */
export function preload(count: number, { dataDir, outputFile }: { dataDir: string; outputFile: string }): void {
    const output = openSync(outputFile, 'a', 0o600);
    for (let number = 0; number < count; number++) waiting.push(forkMain(['pipe', output, output], dataDir));
    closeSync(output);
}

/** Ends the processes that wait for their settings. */
export function endPreloaded(): void {
    for (const worker of waiting.splice(0)) worker.process.kill('SIGKILL');
}

/**
 * Starts a process with all roles that shares its ports with the others. The launcher holds the listening sockets while
 * at least one process uses them, and each process accepts connections by itself (`SCHED_NONE`). So no waiting
 * connection is lost when a process ends: the others accept it. With SO_REUSEPORT, the kernel would reset the
 * connections that wait for the process that ends.
 */
export function startWithSharedPorts(
    env: Environment & { DATA_DIR: string },
    stdio: StdioOptions & unknown[],
): ChildProcess {
    const worker = nextWaiting() ?? forkMain(stdio, env.DATA_DIR);
    worker.send(env, () => undefined); // if it has ended, its end says so
    return worker.process;
}

/** One that has ended meanwhile would never tell its watcher so. */
function nextWaiting(): Worker | undefined {
    let worker: Worker | undefined;
    do worker = waiting.pop();
    while (worker?.isDead());
    return worker;
}

/** The folder in its environment marks it as a process of this launcher. */
function forkMain(stdio: StdioOptions & unknown[], dataDir: string): Worker {
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: MAIN, args: ['all'], stdio: [...stdio, 'ipc'] });
    const worker = cluster.fork({ DATA_DIR: dataDir, ...EXIT_WITH_PARENT });
    // The worker repeats the errors of its process, and an event without a listener would end the launcher.
    worker.on('error', () => undefined);
    return worker;
}
