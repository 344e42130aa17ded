import { setTimeout as delay } from 'node:timers/promises';
import { type Job as DueJob, Queue, Worker } from 'bullmq';
import type { Log } from '../telemetry/log.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';
import { within } from '../within.ts';
import type { JobMetrics } from './job-metrics.ts';
import { endWatchOnEnd, openPatientRedis, type Redis } from './redis.ts';
import { pauseOnErrors } from './worker-pause.ts';

/**
 * Work that one process of a role does every `everyMs` milliseconds. It must tolerate interruption and a second run.
 */
export interface Job {
    everyMs: number;
    run(): Promise<unknown>;
    /**
     * Returns whether there is work. Then the job has no schedule: each process of the role asks every `everyMs`
     * milliseconds, and requests a run if there is. A run costs several milliseconds of CPU even if it does nothing.
     */
    isDue?(): Promise<boolean>;
    /** True if it has a queue of its own, so that it never waits for other jobs of its role. */
    alone?: true;
}

/** Number of finished jobs that are kept for inspection. Beyond it: the oldest ones are removed. */
const KEEP = { removeOnComplete: 10, removeOnFail: 100 };

/**
 * Approximate maximum number of events that BullMQ keeps for a queue. This service does not read them. After a loss of its
 * data, Redis keeps up to 10,000 of them until a process of the role starts. Beyond it: the oldest ones are removed.
 */
const KEEP_EVENTS = 100;

/**
 * Time limit for a running job to end when the process stops, in milliseconds. Without Redis, no job ends. Beyond it:
 * the job is cut off.
 */
const STOP_MS = 5_000;

/** How often the schedules in Redis are checked, in milliseconds. */
const CHECK_EVERY_MS = 10_000;

interface ScheduleOptions {
    redisUrl: string;
    role: string;
    jobs: Record<string, Job>;
    log: Log;
    metrics: JobMetrics;
}

/** Runs a role's jobs on their schedules. Any process of the role may take a run; only one does. */
export function scheduleJobs({ role, jobs, ...shared }: ScheduleOptions): { stop(): Promise<void> } {
    const queues = Map.groupBy(Object.entries(jobs), ([name, { alone }]) => (alone ? `${role}.${name}` : role));
    const scheduled = Array.from(queues, ([queue, own]) =>
        scheduleQueue({ ...shared, role: queue, jobs: Object.fromEntries(own) }),
    );
    return {
        async stop() {
            await Promise.all(scheduled.map((queue) => queue.stop()));
        },
    };
}

function scheduleQueue(options: ScheduleOptions): { stop(): Promise<void> } {
    const { redisUrl, role, jobs, log, metrics } = options;
    const connection = openPatientRedis({ url: redisUrl, log });
    const connections = andItsDuplicates(connection); // a worker waits for jobs on a duplicate
    // The hash tag keeps a queue's keys together on a Redis Cluster.
    const queueOptions = { connection, prefix: `{jobs:${role}}` };
    const queue = new Queue(role, { ...queueOptions, streams: { events: { maxLen: KEEP_EVENTS } } });
    metrics.watch(queue, Object.keys(jobs), () => connection.status === 'ready');
    let running: Promise<unknown> = Promise.resolve();
    const perform = async ({ name, timestamp, delay: delayMs }: DueJob): Promise<unknown> => {
        const job = jobs[name];
        if (!job) return undefined;
        const span = startSpan('consumer', `job ${role}.${name}`);
        span.attribute('queue.wait_ms', Math.max(0, Date.now() - timestamp - delayMs));
        running = inSpan(span, () => metrics.run(role, name, () => job.run()));
        return running;
    };
    const worker = new Worker(role, perform, { ...queueOptions, concurrency: 1 });
    queue.on('error', () => {}); // keepScheduled and the worker report the same errors
    worker.on('failed', (job, error) => log.error({ err: error, job: job?.name }, 'job failed'));
    const stopping = new AbortController();
    pauseOnErrors(worker, { log, signal: stopping.signal });
    // Not awaited: they wait for Redis, and the role must serve without Redis.
    const { signal } = stopping;
    void keepScheduled({ queue, jobs: scheduledOf(jobs), log, signal });
    const all = Object.entries(jobs);
    const mostWaiting = all.length; // so that each job of the queue can wait
    for (const [name, job] of all) void requestWhenDue({ queue, name, job, mostWaiting, log, metrics, signal });
    return {
        async stop() {
            stopping.abort();
            // Without force, BullMQ waits for ever for a lost connection.
            const isLost = connections.some(({ status }) => status !== 'ready');
            // allSettled, because the last job may have failed.
            await within(STOP_MS, Promise.allSettled([worker.close(isLost), queue.close(), running]));
            for (const each of connections) each.disconnect();
        },
    };
}

/**
 * Returns a list of the connection and of all duplicates that BullMQ makes of it. The list grows with each duplicate.
 */
function andItsDuplicates(connection: Redis): readonly Redis[] {
    const all = [connection];
    const duplicate = connection.duplicate.bind(connection) as (...options: unknown[]) => Redis;
    connection.duplicate = (...options: unknown[]) => {
        const copy = duplicate(...options);
        endWatchOnEnd(copy);
        all.push(copy);
        return copy as never;
    };
    return all;
}

function scheduledOf(jobs: Record<string, Job>): Record<string, Job> {
    return Object.fromEntries(Object.entries(jobs).filter(([, { isDue }]) => !isDue));
}

/**
 * Requests runs of a job that says when it is due, and ends at once for a job with a schedule. Requests of several
 * processes at about the same time are one run. None is requested while `mostWaiting` runs wait in the queue, for example
 * because earlier ones take long. If the question fails, a run is requested, too: its failure is then reported like any
 * other. If Redis refuses several requests in a row, the first refusal is logged.
 */
async function requestWhenDue(options: {
    queue: Queue;
    name: string;
    job: Job;
    mostWaiting: number;
    log: Log;
    metrics: JobMetrics;
    signal: AbortSignal;
}): Promise<void> {
    const { queue, name, job, mostWaiting, log, metrics, signal } = options;
    const once = { ...KEEP, deduplication: { id: name, ttl: job.everyMs / 2 } };
    let wasRefused = false;
    const request = async (): Promise<void> => {
        try {
            if ((await queue.getWaitingCount()) < mostWaiting) await queue.add(name, {}, once);
            wasRefused = false;
        } catch (error) {
            if (!wasRefused && !signal.aborted) log.error({ err: error, job: name }, 'could not request the job');
            wasRefused = true;
        }
    };
    while (job.isDue && !signal.aborted) {
        const isDue = await job.isDue().catch(() => true);
        if (!isDue) metrics.nothingDue(queue.name, name);
        else if (!signal.aborted) await request();
        // All jobs ask at the same moments, because a process that is awake already takes less CPU for a question.
        const pauseMs = job.everyMs - (Date.now() % job.everyMs);
        await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
}

/**
 * Writes the schedules to Redis, and writes them again whenever Redis has lost them: after FLUSHALL, or when an empty
 * Redis has replaced it.
 */
async function keepScheduled(options: {
    queue: Queue;
    jobs: Record<string, Job>;
    log: Log;
    signal: AbortSignal;
}): Promise<void> {
    const { queue, jobs, log, signal } = options;
    // Redis may have schedules of a release with other jobs or intervals. So the first round removes and writes them.
    let present: Set<string> | undefined;
    while (!signal.aborted) {
        try {
            if (!present) await removeUnknown(queue, jobs);
            const missing = Object.entries(jobs).filter(([name]) => !present?.has(name));
            for (const [name, { everyMs }] of missing) {
                await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: KEEP });
            }
            await delay(CHECK_EVERY_MS, undefined, { signal, ref: false });
            present = new Set((await queue.getJobSchedulers()).map(({ key }) => key));
        } catch (error) {
            if (signal.aborted) return;
            log.error({ err: error }, 'could not schedule the jobs');
            await delay(CHECK_EVERY_MS, undefined, { ref: false });
        }
    }
}

async function removeUnknown(queue: Queue, jobs: Record<string, Job>): Promise<void> {
    for (const { key } of await queue.getJobSchedulers()) {
        if (!(key in jobs)) await queue.removeJobScheduler(key);
    }
}
