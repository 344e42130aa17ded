import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';
import { signalAll } from '../stack/proc.ts';

const KILLS = 3;
/** Longer than BullMQ waits (30 s) before it gives the job of a silent worker to another one, in milliseconds. */
const STALLED_MS = 40_000;

/**
 * The usage process, which rolls up the counts, is killed. Then it is stopped in the middle of a job, so that another
 * process gets the job too, and Redis loses its data. The checker compares the counts with the rows.
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
    await recovered('a Redis that lost its data', performance.now());
}

export const usageCounts: readonly Scenario[] = [
    { id: 'F17', fault: 'usage killed, jobs delivered twice, Redis loses its data', form: 'apart', clients: 6, run },
];
