import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';
import { signalAll } from '../stack/proc.ts';

/** Time from the end of PostgreSQL to its start, in milliseconds. */
const AWAY_MS = 3_000;
const TARGET_MS = 1_000;

const STOPS = [
    ['a fast stop', 'SIGINT'],
    ['an immediate stop', 'SIGQUIT'],
    ['kill -9 of the postmaster', 'SIGKILL'],
] as const;

async function run(trial: Trial): Promise<void> {
    const { stack, scaled, recovered, broken } = trial;
    const { postgres } = stack;
    for (const [what, signal] of STOPS) {
        await postgres.end(signal);
        await delay(scaled(AWAY_MS));
        const health = await fetch(`http://127.0.0.1:${stack.ports[0]}/internal/health`);
        const { services } = (await health.json()) as { services: { database: string } }; // its documented type
        if (services.database !== 'down') broken('I7', `health says ${services.database} while PostgreSQL is away`);
        await postgres.start();
        await recovered(what, performance.now(), TARGET_MS);
        await delay(scaled(1_000));
    }
    const backends = await postgres.admin("SELECT pid FROM pg_stat_activity WHERE usename = 'credentials' LIMIT 1");
    signalAll(
        backends.map(({ pid }) => Number(pid)),
        'SIGKILL',
    );
    await recovered('kill -9 of one backend', performance.now() + 100, TARGET_MS + 1_000);
}

export const postgresStops: readonly Scenario[] = [
    { id: 'F2', fault: 'PostgreSQL stops, is killed, loses a backend', form: 'apart', run },
    { id: 'F2', fault: 'the same, all roles in one process', form: 'together', run },
];
