import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';
import { signalAll } from '../stack/proc.ts';

const KILLS = 3;
/** Longer than BullMQ leaves a job to a worker that does not say that it lives (30 s), in milliseconds. */
const STALLED_MS = 40_000;

/**
 * The process that folds the counts is killed, stops in the middle of a job so that another gets that too, and Redis loses its
 * memory: the checker finds whether the counts are those of the rows.
 */
async function run({ stack, scaled, recovered, note }: Trial): Promise<void> {
    const [usage] = stack.of('usage');
    if (!usage) return;
    for (let kill = 0; kill < Math.max(1, scaled(KILLS)); kill++) {
        await usage.end('SIGKILL');
        await delay(500);
        usage.launch();
        await usage.ready();
        await delay(scaled(3_000));
    }
    const second = await stack.second('usage');
    second.launch();
    await second.ready();
    signalAll([usage.pid()], 'SIGSTOP');
    await delay(Math.min(STALLED_MS, scaled(STALLED_MS)));
    signalAll([usage.pid()], 'SIGCONT');
    await recovered('a usage process that was stopped', performance.now());
    await stack.redis.command('FLUSHALL');
    await delay(scaled(3_000));
    note(`${await second.metric('job_duration_seconds_count')} runs of jobs in the second process`);
    await second.end('SIGTERM');
    await recovered('a Redis that forgot', performance.now());
}

export const usageCounts: readonly Scenario[] = [
    { id: 'F17', fault: 'usage killed, jobs delivered twice, Redis forgets', form: 'apart', clients: 6, run },
];
