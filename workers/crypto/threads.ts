import { Piscina } from 'piscina';
import { AppError } from '../../platform/errors.ts';
import { processEnvironment } from '../../platform/process/config.ts';
import { secondsSince } from '../../platform/telemetry/metrics.ts';
import type { PoolMetrics } from './pool-metrics.ts';

interface Threads<Task, Result> {
    /**
     * Runs one task on a free thread. Throws AppError `unavailable` if the thread dies during the task; the pool then
     * starts another thread.
     */
    run(task: Task): Promise<Result>;
    /** Ends the threads after their tasks are done. */
    close(): Promise<void>;
}

interface ThreadsOptions {
    /** The pool's name in the metrics. */
    name: string;
    metrics: PoolMetrics;
    /** A module in this folder that exports one function, `run`. */
    file: string;
    threads: number;
    /**
     * Number of tasks that a thread may have at a time. It still runs them one after another: the further tasks only
     * save the wait for the next message.
     */
    tasksPerThread: number;
}

/** Starts a fixed number of threads. */
export function startThreads<Task, Result>(options: ThreadsOptions): Threads<Task, Result> {
    const { name, metrics } = options;
    const pool = openPool<Task, Result>(options);
    metrics.watch(name, { state: () => ({ threads: pool.threads.length, waiting: pool.queueSize }) });
    // Piscina replaces a thread that dies, but not one that dies while it starts. If no thread is left, the tasks in
    // the queue would wait for ever. destroy() refuses them, and the next task starts a thread again.
    pool.on('workerDestroy', () => {
        setImmediate(() => {
            if (pool.threads.length === 0) void pool.destroy();
        });
    });
    return {
        async run(task) {
            const began = performance.now();
            const result = await pool.run(task).catch(refuse);
            metrics.done(name, secondsSince(began));
            return result;
        },
        close: () => pool.close(),
    };
}

function openPool<Task, Result>({ file, threads, tasksPerThread }: ThreadsOptions): Piscina<Task, Result> {
    const { NODE_COMPILE_CACHE } = processEnvironment();
    const pool = new Piscina<Task, Result>({
        filename: new URL(file, import.meta.url).href,
        name: 'run',
        minThreads: threads,
        maxThreads: threads,
        concurrentTasksPerWorker: tasksPerThread,
        // A thread needs neither the preloaded modules of the process nor the secrets in its environment. Without the
        // cache it would compile its modules again.
        execArgv: [],
        env: NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {},
    });
    // Piscina emits this when an idle thread dies. No task waits for that thread, but an event without a listener would
    // end the process.
    pool.on('error', () => {});
    return pool;
}

/** The workers return their own errors as values, so Piscina rejects only when a thread or the pool ends. */
function refuse(cause: unknown): never {
    const text = 'The operation was interrupted. Try again shortly.';
    throw new AppError('unavailable', text, { retry_after: 1, reason: 'threads', cause });
}
