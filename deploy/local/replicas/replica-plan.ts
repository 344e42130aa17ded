import { availableParallelism } from 'node:os';
import type { Environment } from '../../../platform/process/config.ts';
import { countSetting, MOST_PROCESSES } from '../count-setting.ts';
import type { LaunchContext } from '../prepare.ts';

/**
 * Maximum number of connections to PostgreSQL of all processes together, also while one more replaces another:
 * PostgreSQL accepts 100 by default.
 */
const MOST_DATABASE_CONNECTIONS = 80;

/**
 * Default of PROCESSES: one per core, less one, which remains for the threads and the databases. On two cores, two
 * processes answered no more requests than one and took twice the memory.
 */
export const PROCESSES_BY_DEFAULT = Math.min(Math.max(1, availableParallelism() - 1), MOST_PROCESSES);

/** The number of processes of `npm start`. Throws Problem. */
export function processCount({ given }: LaunchContext): number {
    return countSetting(given, 'PROCESSES', PROCESSES_BY_DEFAULT);
}

/**
 * The share of one of `count` processes in the connections to PostgreSQL and in the cores of the machine. What the user
 * has set applies to each process, but never exceeds the maximum number of connections.
 */
export function shareOf(count: number, { config, given }: LaunchContext): Environment {
    const cores = Math.max(1, Math.floor(availableParallelism() / count));
    return {
        DATABASE_POOL: String(Math.min(config.DATABASE_POOL, Math.floor(MOST_DATABASE_CONNECTIONS / (count + 1)))),
        SIGNATURE_THREADS: given['SIGNATURE_THREADS'] ?? String(Math.min(config.SIGNATURE_THREADS, cores)),
        PASSWORD_THREADS: given['PASSWORD_THREADS'] ?? String(cores),
    };
}
