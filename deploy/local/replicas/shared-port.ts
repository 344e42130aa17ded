import type { ChildProcess, StdioOptions } from 'node:child_process';
import cluster from 'node:cluster';
import type { Environment } from '../../../platform/process/config.ts';
import { EXIT_WITH_PARENT, MAIN } from '../role-process.ts';

/**
 * Starts a process with all roles that shares its ports with the others. The launcher holds the listening sockets while
 * at least one process uses them, and each process accepts connections by itself (`SCHED_NONE`). So no waiting
 * connection is lost when a process ends: the others accept it. With SO_REUSEPORT, the kernel would reset the
 * connections that wait for the process that ends.
 */
export function startWithSharedPorts(env: Environment, stdio: StdioOptions & unknown[]): ChildProcess {
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: MAIN, args: ['all'], stdio: [...stdio, 'ipc'] });
    const worker = cluster.fork({ ...env, ...EXIT_WITH_PARENT });
    // The worker repeats the errors of its process, and an event without a listener would end the launcher.
    worker.on('error', () => undefined);
    return worker.process;
}
