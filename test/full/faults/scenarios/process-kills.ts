import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';

/** Number of times that each process is killed. */
const KILLS = 10;
/** Number of groups that are killed in turn. Neighbours in the list, such as the gateways, are never in one group. */
const WAVES = 3;
/** Time from a kill to the next start, in milliseconds. */
const AWAY_MS = 1_000;
const TARGET_MS = 3_000;

/** Kills each process ten times, several at once, starts them again after a second, and waits for the full rate. */
async function run({ stack, scaled, recoveredFully }: Trial): Promise<void> {
    const rounds = Math.max(1, Math.round(scaled(KILLS)));
    for (let round = 0; round < rounds; round++) {
        for (let wave = 0; wave < WAVES; wave++) {
            const killed = stack.processes.filter((_, index) => index % WAVES === wave);
            if (killed.length === 0) continue;
            await Promise.all(killed.map((one) => one.end('SIGKILL')));
            await delay(AWAY_MS);
            const restarted = performance.now();
            for (const one of killed) one.launch();
            await Promise.all(killed.map((one) => one.ready()));
            await recoveredFully('the start of killed processes', restarted, TARGET_MS);
        }
    }
}

export const processKills: readonly Scenario[] = [
    { id: 'F1', fault: 'kill -9 of every process, several at once', form: 'apart', mayLose: true, run },
    { id: 'F1', fault: 'the same, all roles in one process', form: 'together', mayLose: true, run },
];
