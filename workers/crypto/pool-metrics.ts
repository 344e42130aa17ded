import type { Metrics } from '../../platform/telemetry/metrics.ts';

/** The state of a thread pool. */
interface Pool {
    /** The number of threads, and of tasks that wait for a thread. */
    state(): { threads: number; waiting: number };
}

/** Metrics of the thread pools of a process. */
export interface PoolMetrics {
    watch(name: string, pool: Pool): void;
    /** Records that a task finished `seconds` after it was given to the pool. */
    done(name: string, seconds: number): void;
    /** Records that a password job started `seconds` after it was requested. */
    waited(priority: string, seconds: number): void;
}

export function poolMetrics(metrics: Metrics): PoolMetrics {
    const pools = new Map<string, Pool>();
    const read = (value: (state: ReturnType<Pool['state']>) => number) => () =>
        Array.from(pools, ([pool, { state }]) => ({ labels: { pool }, value: value(state()) }));
    const labels = ['pool'] as const;
    metrics.collect(
        { type: 'gauge', name: 'crypto_pool_threads', help: 'Threads of a thread pool.', labels },
        read(({ threads }) => threads),
    );
    metrics.collect(
        { type: 'gauge', name: 'crypto_pool_waiting_tasks', help: 'Tasks that wait for a thread.', labels },
        read(({ waiting }) => waiting),
    );
    const duration = metrics.histogram({
        name: 'crypto_task_duration_seconds',
        help: 'Time from passing a task to a thread pool to its result. A task is one password or a batch of signatures.',
        labels,
    });
    const wait = metrics.histogram({
        name: 'password_wait_seconds',
        help: 'Time that a password waited before it was hashed.',
        labels: ['lane'],
    });
    return {
        watch(name, pool) {
            pools.set(name, pool);
            duration.zero({ pool: name });
        },
        done: (pool, seconds) => duration.observe({ pool }, seconds),
        waited: (priority, seconds) => wait.observe({ lane: priority }, seconds),
    };
}
