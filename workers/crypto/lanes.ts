import { overloaded } from '../../platform/batch.ts';
import { overError, type Patience, reasonNotToStart } from '../../platform/context.ts';
import { secondsSince } from '../../platform/metrics.ts';
import { queueTally } from '../../platform/queues.ts';
import { NO_SPAN, type Span } from '../../platform/tracing.ts';

export interface LanesOptions<Job, Result> {
    /** The prefix of the queues' names in the metrics, one queue for each lane. */
    name: string;
    run(job: Job): Promise<Result>;
    /** Jobs that run at a time. */
    slots: number;
    /** Jobs of one lane that may wait. Further ones are refused with `unavailable`. */
    max_waiting: number;
    /** Called when a job starts. */
    waited(lane: Lane, seconds: number): void;
}

export type Lane = 'foreground' | 'background';

interface Entry<Job, Result> {
    job: Job;
    patience: Patience;
    stopListening(): void;
    span: Span;
    /** `performance.now()` */
    asked_at: number;
    resolve(result: Promise<Result>): void;
}

/**
 * Runs jobs of two lanes on shared slots. A background job starts only while no foreground job waits, and background
 * jobs take at most half of the slots (but at least one), so that they never block all of several slots. A job whose
 * turn comes after its deadline does not run: AppError `deadline`. A job whose client disconnects leaves the queue at
 * once: AppError `cancelled`.
 */
export function lanes<Job, Result>(
    options: LanesOptions<Job, Result>,
): (job: Job, lane: Lane, patience?: Patience, span?: Span) => Promise<Result> {
    const max_running = { foreground: options.slots, background: Math.max(1, options.slots >> 1) };
    const running = { foreground: 0, background: 0 };
    const waiting: Record<Lane, Set<Entry<Job, Result>>> = { foreground: new Set(), background: new Set() };
    const queue_of = { foreground: `${options.name}_foreground`, background: `${options.name}_background` };
    const tallies = { foreground: queueTally(queue_of.foreground), background: queueTally(queue_of.background) };

    function leave(lane: Lane, entry: Entry<Job, Result>): void {
        waiting[lane].delete(entry);
        tallies[lane].waiting--;
        entry.stopListening();
    }

    function leaveWhenCancelled(lane: Lane, entry: Entry<Job, Result>): void {
        const { cancellation } = entry.patience;
        if (!cancellation) return;
        entry.stopListening = cancellation.onCancelled(() => {
            leave(lane, entry);
            entry.resolve(Promise.reject(overError(entry.patience)));
        });
    }

    /** Starts the jobs that may start, foreground first. */
    function start(): void {
        for (const lane of ['foreground', 'background'] as const) {
            while (running.foreground + running.background < options.slots && running[lane] < max_running[lane]) {
                const [entry] = waiting[lane];
                if (entry === undefined) break;
                leave(lane, entry);
                tallies[lane].batches++;
                options.waited(lane, secondsSince(entry.asked_at));
                entry.span.sent(1);
                const reason = reasonNotToStart(entry.patience);
                if (reason) {
                    entry.resolve(Promise.reject(reason));
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

    return (job, lane, patience = {}, span = NO_SPAN) => {
        const reason = reasonNotToStart(patience);
        if (reason) return Promise.reject(reason);
        if (waiting[lane].size >= options.max_waiting) {
            return Promise.reject(overloaded(queue_of[lane]));
        }
        return new Promise((resolve) => {
            tallies[lane].items++;
            tallies[lane].waiting++;
            const entry: Entry<Job, Result> = {
                job,
                patience,
                stopListening: () => {},
                span,
                asked_at: performance.now(),
                resolve,
            };
            waiting[lane].add(entry);
            start();
            if (waiting[lane].has(entry)) leaveWhenCancelled(lane, entry);
        });
    };
}
