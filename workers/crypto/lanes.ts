import { deadlineExceeded, isTooLate } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';

export interface LanesOptions<Job, Result> {
    run(job: Job): Promise<Result>;
    /** Jobs that run at once. */
    slots: number;
    /** Jobs of one lane that may wait; the next one is refused with `unavailable`. */
    max_waiting: number;
}

export type Lane = 'foreground' | 'background';

interface Entry<Job, Result> {
    job: Job;
    deadline: number;
    resolve(result: Promise<Result>): void;
}

/**
 * Runs jobs of two lanes on the same slots. A background job starts only while no foreground job waits, and background jobs
 * take at most half of the slots (but one at least), so that they never hold all of several. A job whose turn comes too late
 * for its deadline (`performance.now()`) is not run: AppError `deadline`.
 */
export function lanes<Job, Result>(
    options: LanesOptions<Job, Result>,
): (job: Job, lane: Lane, deadline?: number) => Promise<Result> {
    const max_running = { foreground: options.slots, background: Math.max(1, options.slots >> 1) };
    const running = { foreground: 0, background: 0 };
    const waiting: Record<Lane, Array<Entry<Job, Result>>> = { foreground: [], background: [] };

    /** Starts what may start, foreground first. */
    function start(): void {
        for (const lane of ['foreground', 'background'] as const) {
            while (running.foreground + running.background < options.slots && running[lane] < max_running[lane]) {
                const entry = waiting[lane].shift();
                if (entry === undefined) break;
                if (isTooLate(entry.deadline)) {
                    entry.resolve(Promise.reject(deadlineExceeded()));
                    continue;
                }
                running[lane]++;
                const result = options.run(entry.job).finally(() => {
                    running[lane]--;
                    start();
                });
                entry.resolve(result);
            }
        }
    }

    return (job, lane, deadline = Number.POSITIVE_INFINITY) => {
        if (waiting[lane].length >= options.max_waiting) {
            return Promise.reject(
                new AppError('unavailable', 'The service is at capacity. Try again shortly.', { retry_after: 1 }),
            );
        }
        return new Promise((resolve) => {
            waiting[lane].push({ job, deadline, resolve });
            start();
        });
    };
}
