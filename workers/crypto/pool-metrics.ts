import type { Metrics } from '../../platform/metrics.ts';

/** What is seen of a pool of threads from outside. */
interface Pool {
    /** How many there are, and how many tasks wait for one. */
    state(): { threads: number; waiting: number };
}

/** How busy the pools of threads of a process are. */
export interface PoolMetrics {
    watch(name: string, pool: Pool): void;
    /** A task is done: so long after it was handed over to the pool. */
    done(name: string, seconds: number): void;
    /** A password's turn has come: so long after it was asked for. */
    waited(lane: string, seconds: number): void;
}

export function poolMetrics(metrics: Metrics): PoolMetrics {
    const pools = new Map<string, Pool>();
    const read = (value: (state: ReturnType<Pool['state']>) => number) => () =>
        Array.from(pools, ([pool, { state }]) => ({ labels: { pool }, value: value(state()) }));
    const labels = ['pool'] as const;
    metrics.readings(
        { type: 'gauge', name: 'crypto_pool_threads', help: 'Threads of a pool.', labels },
        read(({ threads }) => threads),
    );
    metrics.readings(
        { type: 'gauge', name: 'crypto_pool_waiting_tasks', help: 'Tasks that wait for a thread of a pool.', labels },
        read(({ waiting }) => waiting),
    );
    const duration = metrics.histogram({
        name: 'crypto_task_duration_seconds',
        help: 'Time from a task being handed to a pool to its answer; a task is one password, or a group of signatures.',
        labels,
    });
    const wait = metrics.histogram({
        name: 'password_wait_seconds',
        help: 'Time that a password waited for its turn to be hashed.',
        labels: ['lane'],
    });
    return {
        watch(name, pool) {
            pools.set(name, pool);
            duration.zero({ pool: name });
        },
        done: (pool, seconds) => duration.observe({ pool }, seconds),
        waited: (lane, seconds) => wait.observe({ lane }, seconds),
    };
}
