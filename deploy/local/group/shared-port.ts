import type { ChildProcess, StdioOptions } from 'node:child_process';
import cluster from 'node:cluster';
import type { Environment } from '../../../platform/process/config.ts';
import { EXIT_WITH_PARENT, MAIN } from '../role-process.ts';

/**
 * Starts a process with all roles that shares its ports with the others. The launcher keeps the listening sockets, and
 * each process accepts from them by itself (`SCHED_NONE`). So no connection is lost when a process ends: the others
 * accept what waits. With SO_REUSEPORT, the kernel would reset the connections that wait for the process that ends.
 */
export function startWithSharedPorts(env: Environment, stdio: StdioOptions & unknown[]): ChildProcess {
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: MAIN, args: ['all'], stdio: [...stdio, 'ipc'] });
    return cluster.fork({ ...env, ...EXIT_WITH_PARENT }).process;
}
