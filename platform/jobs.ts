import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Log } from './log.ts';

/** Work that one process of a role does every `every_ms`. It may be interrupted, and may run twice. */
export interface Job {
    every_ms: number;
    run(): Promise<unknown>;
}

/** Finished jobs that are kept to be looked at. */
const KEEP = { removeOnComplete: 10, removeOnFail: 100 };

/** Runs a role's jobs on their schedules, each in whichever process of the role takes it. */
export async function scheduleJobs(options: {
    redis_url: string;
    role: string;
    jobs: Record<string, Job>;
    log: Log;
}): Promise<{ stop(): Promise<void> }> {
    const { redis_url, role, jobs, log } = options;
    // A worker waits for jobs by blocking commands, which may take as long as they like.
    const connection = new Redis(redis_url, { maxRetriesPerRequest: null });
    connection.on('error', (error: Error) => log.warn({ err: error }, 'job queue connection'));
    // The hash tag keeps a queue's keys together on a Redis Cluster.
    const queue_options = { connection, prefix: `{jobs:${role}}` };
    const queue = new Queue(role, queue_options);
    const worker = new Worker(role, async ({ name }) => jobs[name]?.run(), { ...queue_options, concurrency: 1 });
    queue.on('error', (error) => log.warn({ err: error }, 'job queue'));
    worker.on('error', (error) => log.warn({ err: error }, 'job queue'));
    worker.on('failed', (job, error) => log.error({ err: error, job: job?.name }, 'job failed'));
    for (const [name, { every_ms }] of Object.entries(jobs)) {
        await queue.upsertJobScheduler(name, { every: every_ms }, { name, opts: KEEP });
    }
    return {
        async stop() {
            await worker.close();
            await queue.close();
            connection.disconnect();
        },
    };
}
