import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';
import { signalAll } from '../stack/proc.ts';

const STOPPED_MS = 30_000;

/** Stops all processes of a dependency by SIGSTOP. Their connections stay open, as on a machine that hangs. */
async function stop(trial: Trial, what: string, pids: () => number[]): Promise<void> {
    const stopped = pids();
    signalAll(stopped, 'SIGSTOP');
    try {
        await delay(trial.scaled(STOPPED_MS));
    } finally {
        signalAll(stopped, 'SIGCONT');
    }
    await trial.recovered(what, performance.now());
}

export const stoppedDependencies: readonly Scenario[] = [
    {
        id: 'F21',
        isMostlyIdle: true,
        fault: 'PostgreSQL hangs for 30 s (SIGSTOP)',
        form: 'apart',
        run: (trial) => stop(trial, 'a PostgreSQL that hung', trial.stack.postgres.pids),
    },
    {
        id: 'F21',
        isMostlyIdle: true,
        fault: 'the same, all roles in one process',
        form: 'together',
        run: (trial) => stop(trial, 'a PostgreSQL that hung', trial.stack.postgres.pids),
    },
    {
        id: 'F21',
        isMostlyIdle: true,
        fault: 'Redis hangs for 30 s (SIGSTOP)',
        form: 'apart',
        run: (trial) => stop(trial, 'a Redis that hung', trial.stack.redis.pids),
    },
    {
        id: 'F21',
        isMostlyIdle: true,
        fault: 'a service (credentials) hangs for 30 s (SIGSTOP)',
        form: 'apart',
        run: (trial) => stop(trial, 'a service that hung', () => trial.stack.of('credentials').map(({ pid }) => pid())),
    },
];
