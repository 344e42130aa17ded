import { overloaded } from '../../platform/batch.ts';
import { type CallLifetime, overError, reasonNotToStart } from '../../platform/context.ts';
import { queueStats } from '../../platform/queue-stats.ts';
import { secondsSince } from '../../platform/telemetry/metrics.ts';
import { NO_SPAN, type Span } from '../../platform/telemetry/span.ts';

export interface LanesOptions<Job, Result> {
    /** The prefix of the queues' names in the metrics, one queue for each lane. */
    name: string;
    run(job: Job): Promise<Result>;
    /** Jobs that run at a time. */
    slots: number;
    /** Jobs of one lane that may wait. Further ones are refused with `unavailable`. */
    max_waiting: number;
    /** Called when a job starts. */
    waited(priority: Priority, seconds: number): void;
}

export type Priority = 'foreground' | 'background';

interface QueuedJob<Job, Result> {
    job: Job;
    lifetime: CallLifetime;
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
export function priorityQueue<Job, Result>(
    options: LanesOptions<Job, Result>,
): (job: Job, priority: Priority, lifetime?: CallLifetime, span?: Span) => Promise<Result> {
    const max_running = { foreground: options.slots, background: Math.max(1, options.slots >> 1) };
    const running = { foreground: 0, background: 0 };
    const waiting: Record<Priority, Set<QueuedJob<Job, Result>>> = { foreground: new Set(), background: new Set() };
    const queue_of = { foreground: `${options.name}_foreground`, background: `${options.name}_background` };
    const statsByName = { foreground: queueStats(queue_of.foreground), background: queueStats(queue_of.background) };

    function leave(priority: Priority, entry: QueuedJob<Job, Result>): void {
        waiting[priority].delete(entry);
        statsByName[priority].waiting--;
        entry.stopListening();
    }

    function leaveWhenCancelled(priority: Priority, entry: QueuedJob<Job, Result>): void {
        const { cancellation } = entry.lifetime;
        if (!cancellation) return;
        entry.stopListening = cancellation.onCancelled(() => {
            leave(priority, entry);
            entry.resolve(Promise.reject(overError(entry.lifetime)));
        });
    }

    /** Starts the jobs that may start, foreground first. */
    function start(): void {
        for (const priority of ['foreground', 'background'] as const) {
            while (
                running.foreground + running.background < options.slots &&
                running[priority] < max_running[priority]
            ) {
                const [entry] = waiting[priority];
                if (entry === undefined) break;
                leave(priority, entry);
                statsByName[priority].batches++;
                options.waited(priority, secondsSince(entry.asked_at));
                entry.span.sent(1);
                const reason = reasonNotToStart(entry.lifetime);
                if (reason) {
                    entry.resolve(Promise.reject(reason));
                    continue;
                }
                running[priority]++;
                const result = options.run(entry.job).finally(() => {
                    running[priority]--;
                    start();
                });
                entry.resolve(result);
            }
        }
    }

    return (job, priority, lifetime = {}, span = NO_SPAN) => {
        const reason = reasonNotToStart(lifetime);
        if (reason) return Promise.reject(reason);
        if (waiting[priority].size >= options.max_waiting) {
            return Promise.reject(overloaded(queue_of[priority]));
        }
        return new Promise((resolve) => {
            statsByName[priority].items++;
            statsByName[priority].waiting++;
            const entry: QueuedJob<Job, Result> = {
                job,
                lifetime,
                stopListening: () => {},
                span,
                asked_at: performance.now(),
                resolve,
            };
            waiting[priority].add(entry);
            start();
            if (waiting[priority].has(entry)) leaveWhenCancelled(priority, entry);
        });
    };
}
