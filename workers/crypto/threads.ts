import { Piscina } from 'piscina';
import { AppError } from '../../platform/errors.ts';

export interface Threads<Task, Result> {
    /** Runs one task on a free thread. AppError `unavailable` when the thread died under it; the pool then has another. */
    run(task: Task): Promise<Result>;
    close(): Promise<void>;
}

export interface ThreadsOptions {
    /** A module of this folder that exports one function, `run`. */
    file: string;
    threads: number;
    /** Tasks that a thread may have at once; it runs them in turn, so the second only spares it the wait for the next one. */
    tasks_per_thread: 1 | 2;
}

/** Starts a fixed number of threads. */
export function startThreads<Task, Result>(options: ThreadsOptions): Threads<Task, Result> {
    const pool = new Piscina<Task, Result>({
        filename: new URL(options.file, import.meta.url).href,
        name: 'run',
        minThreads: options.threads,
        maxThreads: options.threads,
        concurrentTasksPerWorker: options.tasks_per_thread,
        // A thread needs neither the process's preloaded modules nor the secrets of its environment.
        execArgv: [],
        env: {},
    });
    // Raised for a thread that dies idle. Its successor is already there, and there is no task to answer.
    pool.on('error', () => {});
    return {
        run: (task) =>
            pool.run(task).catch((cause) => {
                throw new AppError('unavailable', 'The operation was interrupted. Try again shortly.', {
                    retry_after: 1,
                    cause,
                });
            }),
        close: () => pool.close(),
    };
}
