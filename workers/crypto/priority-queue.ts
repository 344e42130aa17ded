import { BoundedQueue } from '../../platform/bounded-queue.ts';
import { type Caller, type CallLifetime, callerOf, requireTime } from '../../platform/context.ts';
import { secondsSince } from '../../platform/telemetry/metrics.ts';
import { NO_SPAN, type Span } from '../../platform/telemetry/span.ts';

interface PriorityQueueOptions<Job, Result> {
    /** The prefix of the names of the queues in the metrics. Each priority has one queue. */
    name: string;
    run(job: Job): Promise<Result>;
    /** Number of jobs that run at a time. */
    slots: number;
    /** Maximum number of waiting jobs of one priority. Further ones are refused with `unavailable`. */
    maxWaiting: number;
    /** Called when a job leaves the queue for a slot. `seconds`: how long it has waited. */
    waited(priority: Priority, seconds: number): void;
}

type Priority = 'foreground' | 'background';

/**
 * Runs jobs of two priorities on shared slots. Callers take turns within a priority. A background job starts only while
 * no foreground job waits. Background jobs take at most half of the slots, but at least one. A job whose deadline has
 * passed when its turn comes does not run, and fails with AppError `deadline`. A job whose client disconnects leaves
 * the queue at once, and fails with AppError `cancelled`.
 */
export function priorityQueue<Job, Result>(
    options: PriorityQueueOptions<Job, Result>,
): (job: Job, priority: Priority, call?: CallLifetime & Caller, span?: Span) => Promise<Result> {
    const maxRunning = { foreground: options.slots, background: Math.max(1, options.slots >> 1) };
    const running = { foreground: 0, background: 0 };
    const { name, maxWaiting } = options;
    const waiting = {
        foreground: new BoundedQueue({ name: `${name}_foreground`, maxWaiting }),
        background: new BoundedQueue({ name: `${name}_background`, maxWaiting }),
    };

    const hasSlot = (priority: Priority): boolean =>
        running.foreground + running.background < options.slots && running[priority] < maxRunning[priority];

    /** Gives free slots to waiting jobs, foreground first. */
    function fillSlots(): void {
        for (const priority of ['foreground', 'background'] as const) {
            while (hasSlot(priority) && waiting[priority].release() !== undefined) running[priority]++;
        }
    }

    return async (job, priority, call = {}, span = NO_SPAN) => {
        requireTime(call);
        const askedAt = performance.now();
        const turn = waiting[priority].wait(call, callerOf(call));
        fillSlots();
        await turn;
        try {
            options.waited(priority, secondsSince(askedAt));
            span.sent(1);
            requireTime(call);
            return await options.run(job);
        } finally {
            running[priority]--;
            fillSlots();
        }
    };
}
