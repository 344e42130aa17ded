import { setTimeout as delay } from 'node:timers/promises';
import { type Job as DueJob, Queue, Worker } from 'bullmq';
import type { Log } from '../telemetry/log.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';
import type { JobMetrics } from './job-metrics.ts';
import { endWatchOnEnd, openPatientRedis, type Redis } from './redis.ts';

/** Work that one process of a role does every `every_ms`. It must tolerate interruption and a second run. */
export interface Job {
    every_ms: number;
    run(): Promise<unknown>;
}

/** Finished jobs that are kept for inspection. */
const KEEP = { removeOnComplete: 10, removeOnFail: 100 };

/** Approximate number of events of a queue that are kept, though nobody reads them. */
const KEEP_EVENTS = 100;

/** The same bounds, as the queue's settings in Redis show them. */
const MAX_EVENTS = { 'opts.maxLenEvents': KEEP_EVENTS };

/** Time limit for a running job to end, in milliseconds. Without Redis none ends. */
const STOP_MS = 5_000;

/** How often Redis is checked for the schedules, in milliseconds. */
const LOOK_MS = 10_000;

/** Runs a role's jobs on their schedules. Each run happens in whichever process of the role takes it. */
export function scheduleJobs(options: {
    redis_url: string;
    role: string;
    jobs: Record<string, Job>;
    log: Log;
    metrics: JobMetrics;
}): { stop(): Promise<void> } {
    const { redis_url, role, jobs, log, metrics } = options;
    const connection = openPatientRedis({ url: redis_url, log });
    const connections = andItsDuplicates(connection); // a worker waits for jobs on one of its own
    // The hash tag keeps a queue's keys together on a Redis Cluster.
    const queue_options = { connection, prefix: `{jobs:${role}}` };
    const queue = new Queue(role, { ...queue_options, streams: { events: { maxLen: KEEP_EVENTS } } });
    metrics.watch(queue, Object.keys(jobs), () => connection.status === 'ready');
    let running: Promise<unknown> = Promise.resolve();
    const perform = async ({ name, timestamp, delay: delay_ms }: DueJob): Promise<unknown> => {
        const job = jobs[name];
        if (!job) return undefined;
        const span = startSpan('consumer', `job ${role}.${name}`);
        span.attribute('queue.wait_ms', Math.max(0, Date.now() - timestamp - delay_ms));
        running = inSpan(span, () => metrics.run(role, name, () => job.run()));
        return running;
    };
    const worker = new Worker(role, perform, { ...queue_options, concurrency: 1 });
    queue.on('error', (error) => log.warn({ err: error }, 'job queue'));
    worker.on('error', (error) => log.warn({ err: error }, 'job queue'));
    worker.on('failed', (job, error) => log.error({ err: error, job: job?.name }, 'job failed'));
    const stopping = new AbortController();
    // Not awaited: without Redis the role serves anyway, and this waits for it.
    void keepScheduled({ queue, connection, jobs, log, signal: stopping.signal });
    return {
        async stop() {
            stopping.abort();
            // BullMQ closes a connection that is lost only by force: otherwise it waits for it for ever.
            const isLost = connections.some(({ status }) => status !== 'ready');
            const closed = Promise.allSettled([worker.close(isLost), queue.close(), running]); // the last job may have failed
            await Promise.race([closed, delay(STOP_MS, undefined, { ref: false })]);
            for (const each of connections) each.disconnect();
        },
    };
}

/** The connection, and those that BullMQ makes from it. */
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

/**
 * Writes the schedules to Redis, and again whenever Redis has lost them: after FLUSHALL, or when it is a different,
 * empty one.
 */
async function keepScheduled(options: {
    queue: Queue;
    connection: Redis;
    jobs: Record<string, Job>;
    log: Log;
    signal: AbortSignal;
}): Promise<void> {
    const { queue, connection, jobs, log, signal } = options;
    // At first none is known: Redis may have schedules of a release with other intervals.
    let present = new Set<string>();
    while (!signal.aborted) {
        try {
            const missing = Object.entries(jobs).filter(([name]) => !present.has(name));
            for (const [name, { every_ms }] of missing) {
                await queue.upsertJobScheduler(name, { every: every_ms }, { name, opts: KEEP });
            }
            // It belongs to the queue's settings, which are lost together with the schedules.
            if (missing.length > 0) await connection.hset(queue.toKey('meta'), MAX_EVENTS);
            await delay(LOOK_MS, undefined, { signal, ref: false });
            present = new Set((await queue.getJobSchedulers()).map(({ key }) => key));
        } catch (error) {
            if (signal.aborted) return;
            log.error({ err: error }, 'could not schedule the jobs');
            await delay(LOOK_MS, undefined, { ref: false });
        }
    }
}
