import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario, Trial } from '../scenario.ts';
import { residentMiB } from '../stack/proc.ts';

const DELAYS_MS = [200, 2_000];
const SLOW_MS = 6_000;
const BLACK_HOLE_MS = 10_000;
/** Largest growth of the memory of all processes together, in MiB. */
const MEMORY_MIB = 300;

/** The checker asserts that requests meet their deadline. */
async function run({ stack, scaled, recovered, target, note }: Trial): Promise<void> {
    const resident = (): number => stack.processes.reduce((sum, one) => sum + residentMiB(one.pid()), 0);
    const { postgres: proxy } = stack.proxies;
    const before = resident();
    for (const ms of DELAYS_MS) {
        proxy.delay(ms);
        await delay(scaled(SLOW_MS));
    }
    await proxy.heal();
    await recovered('slowness', performance.now());
    proxy.blackHole('requests', 'answers');
    await delay(scaled(BLACK_HOLE_MS));
    const grown = resident() - before;
    await proxy.heal();
    await recovered('a black hole', performance.now());
    note(`memory of all processes: ${Math.round(before)} MiB before, ${Math.round(grown)} MiB more in the black hole`);
    target(`memory grew by ${Math.round(grown)} MiB, not less than ${MEMORY_MIB} MiB`, grown < MEMORY_MIB);
}

export const postgresSlow: readonly Scenario[] = [
    {
        id: 'F3',
        fault: 'PostgreSQL slow by 200 ms and 2 s, then silent for 10 s',
        isMostlyIdle: true,
        form: 'apart',
        run,
    },
    { id: 'F3', fault: 'the same, all roles in one process', isMostlyIdle: true, form: 'together', run },
];
