import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';

/** How often each process is killed. */
const KILLS = 10;
/** From a kill to the next start, in milliseconds. */
const AWAY_MS = 1_000;
const TARGET_MS = 3_000;

/** Kills every process in turn, starts it again after a second, and waits for the rate that there was. */
async function run({ stack, scaled, recoveredFully }: Trial): Promise<void> {
    const rounds = Math.max(1, Math.round(scaled(KILLS)));
    for (let round = 0; round < rounds; round++) {
        for (const one of stack.processes) {
            await one.end('SIGKILL');
            await delay(AWAY_MS);
            const restarted = performance.now();
            one.launch();
            await one.ready();
            await recoveredFully(`the start of ${one.name}`, restarted, TARGET_MS);
        }
    }
}

export const processKills: readonly Scenario[] = [
    { id: 'F1', fault: 'kill -9 of each process in turn', form: 'apart', mayLose: true, run },
    { id: 'F1', fault: 'the same, all roles in one process', form: 'together', mayLose: true, run },
];
