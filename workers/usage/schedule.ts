import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Log } from '../../platform/log.ts';

/** How often usage is folded, in milliseconds. */
const EVERY_MS = 10_000;
/** A hash tag of its own keeps the queue's keys together on a Redis Cluster. */
const PREFIX = '{usage}';

/** Runs `fold` every ten seconds, in whichever process of the role takes the job. */
export async function scheduleFolding({
    redis_url,
    fold,
    log,
}: {
    redis_url: string;
    fold(): Promise<unknown>;
    log: Log;
}) {
    // A worker waits for jobs by blocking commands, which may take as long as they like.
    const connection = new Redis(redis_url, { maxRetriesPerRequest: null });
    connection.on('error', (error: Error) => log.warn({ err: error }, 'usage queue connection'));
    const queue = new Queue('usage', { connection, prefix: PREFIX });
    queue.on('error', (error) => log.warn({ err: error }, 'usage queue'));
    const worker = new Worker('usage', async () => fold(), { connection, prefix: PREFIX, concurrency: 1 });
    worker.on('error', (error) => log.warn({ err: error }, 'usage worker'));
    worker.on('failed', (_job, error) => log.error({ err: error }, 'usage could not be folded'));
    await queue.upsertJobScheduler(
        'fold',
        { every: EVERY_MS },
        { name: 'fold', opts: { removeOnComplete: 10, removeOnFail: 100 } },
    );
    return {
        async stop(): Promise<void> {
            await worker.close();
            await queue.close();
            connection.disconnect();
        },
    };
}
