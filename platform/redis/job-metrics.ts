import type { Job, Queue } from 'bullmq';
import { type Metrics, type Sample, secondsSince } from '../telemetry/metrics.ts';
import { within } from '../within.ts';

/** Time limit for Redis to report the state of a queue, in milliseconds. Beyond it: the metrics lack the queue. */
const TIMEOUT_MS = 500;
const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export interface JobMetrics {
    /** Exports the state of the queue. The metrics lack the queue while `isReachable` returns false. */
    watch(queue: Queue, taskNames: readonly string[], isReachable: () => boolean): void;
    /** Runs a job and records its duration. The label is `task`, because Prometheus itself uses `job`. */
    run(queue: string, task: string, work: () => Promise<unknown>): Promise<unknown>;
    /** Records that a job has nothing to do, which counts as a success. */
    nothingDue(queue: string, task: string): void;
}

interface Depth {
    queue: string;
    jobs: Record<string, number>;
    oldestSeconds: number;
}

export function jobMetrics(metrics: Metrics): JobMetrics {
    const watchDepth = depthMetrics(metrics);
    const { expect, run, succeeded } = runMetrics(metrics);
    return {
        watch(queue, taskNames, isReachable) {
            watchDepth(queue, isReachable);
            for (const task of taskNames) expect(queue.name, task);
        },
        run,
        nothingDue: succeeded,
    };
}

function depthMetrics(metrics: Metrics) {
    const watched: Array<() => Promise<Depth | undefined>> = [];
    const depths = async (): Promise<Depth[]> => {
        const read = await Promise.all(watched.map((depth) => depth()));
        return read.filter((depth) => depth !== undefined);
    };
    metrics.collect(
        { type: 'gauge', name: 'job_queue_jobs', help: 'Jobs in a queue, by state.', labels: ['queue', 'state'] },
        async () => (await depths()).flatMap(readingsByState),
    );
    metrics.collect(
        {
            type: 'gauge',
            name: 'job_queue_oldest_due_seconds',
            help: 'How long the oldest due job has been waiting.',
            labels: ['queue'],
        },
        async () => (await depths()).map(({ queue, oldestSeconds }) => ({ labels: { queue }, value: oldestSeconds })),
    );
    return (queue: Queue, isReachable: () => boolean): void => {
        watched.push(async () => (isReachable() ? depthOf(queue) : undefined));
    };
}

function runMetrics(metrics: Metrics) {
    const duration = metrics.histogram({
        name: 'job_duration_seconds',
        help: 'Duration of a job in this process, by outcome.',
        labels: ['queue', 'task', 'outcome'],
    });
    const lastSuccess = new Map<string, Sample<'queue' | 'task'>>();
    metrics.collect(
        {
            type: 'gauge',
            name: 'job_last_success_timestamp_seconds',
            help: 'Time of the last successful run of the job in this process, or of the last time that it had nothing to do; before the first one, the start of the process.',
            labels: ['queue', 'task'],
        },
        () => lastSuccess.values(),
    );
    const succeeded = (queue: string, task: string): void => {
        lastSuccess.set(`${queue} ${task}`, { labels: { queue, task }, value: Date.now() / 1_000 });
    };
    return {
        expect(queue: string, task: string): void {
            succeeded(queue, task);
            for (const outcome of ['ok', 'failed']) duration.zero({ queue, task, outcome });
        },
        succeeded,
        async run(queue: string, task: string, work: () => Promise<unknown>): Promise<unknown> {
            const began = performance.now();
            try {
                const result = await work();
                succeeded(queue, task);
                duration.observe({ queue, task, outcome: 'ok' }, secondsSince(began));
                return result;
            } catch (error) {
                duration.observe({ queue, task, outcome: 'failed' }, secondsSince(began));
                throw error;
            }
        },
    };
}

function readingsByState({ queue, jobs }: Depth): Sample<'queue' | 'state'>[] {
    return STATES.map((state) => ({ labels: { queue, state }, value: jobs[state] ?? 0 }));
}

/** Returns undefined if Redis takes too long or refuses. */
async function depthOf(queue: Queue): Promise<Depth | undefined> {
    const asked = Promise.all([queue.getJobCounts(...STATES), queue.getWaiting(0, 0), queue.getDelayed(0, 0)]).then(
        ([jobs, waiting, delayed]) => ({
            queue: queue.name,
            jobs,
            oldestSeconds: Math.max(0, ...[...waiting, ...delayed].map(overdueSeconds)),
        }),
        () => undefined,
    );
    return within(TIMEOUT_MS, asked);
}

function overdueSeconds({ timestamp, opts }: Job): number {
    return (Date.now() - timestamp - (opts.delay ?? 0)) / 1_000;
}
