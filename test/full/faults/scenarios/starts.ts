import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LaunchTrial, Scenario, Trial } from '../scenario.ts';

/** Time that a dependency is absent after the start, in milliseconds. */
const ABSENT_MS = 4_000;
const READY_MS = 5_000;
/** Time from the start of the second runner to its kill, in the middle of its work, in milliseconds. */
const KILLED_AFTER_MS = 600;

/** Starts all processes in random order without PostgreSQL and Redis, which become available one after the other. */
async function startWithoutDependencies({ stack, scaled, target, broken, note }: LaunchTrial): Promise<void> {
    const { postgres, redis } = stack.proxies;
    await stack.migrate();
    for (const proxy of [postgres, redis]) {
        proxy.cut();
        await proxy.refuse();
    }
    const order = [...stack.processes].sort(() => randomInt(3) - 1);
    for (const one of order) one.launch();
    await delay(scaled(ABSENT_MS));
    await redis.heal();
    await delay(scaled(ABSENT_MS));
    const ready = await Promise.all(order.map((one) => one.isReady()));
    if (ready.includes(true)) {
        const early = order.filter((_, index) => ready[index]).map(({ name }) => name);
        note(`ready without PostgreSQL: ${early.join(', ')}`);
    }
    for (const { name, crashes } of order) if (crashes() > 0) broken('I6', `${name} ended instead of waiting`);
    await postgres.heal();
    const healed = performance.now();
    await Promise.all(order.map((one) => one.ready()));
    const took = Math.round(performance.now() - healed);
    note(`all were ready ${took} ms after the last dependency`);
    target(`ready after ${took} ms instead of ${READY_MS} ms`, took <= READY_MS);
}

/** Starts three migration runners at once and kills one of them. The others and a later one must succeed. */
async function migrateAtOnce({ stack, broken, note }: LaunchTrial): Promise<void> {
    const runners = ['first', 'second', 'third'].map((name) => stack.migrator(`migrate-${name}`));
    for (const runner of runners) runner.launch();
    await delay(KILLED_AFTER_MS);
    const [first, second, third] = runners;
    const killed = await second?.end('SIGKILL');
    note(`the runner that was killed ended with ${killed}`);
    for (const runner of [first, third]) {
        const code = await runner?.ended();
        if (code !== 0) broken('I3', `${runner?.name} ended with ${code}`);
    }
    await stack.migrate();
    await stack.launch();
}

async function justWrite({ recovered, scaled }: Trial): Promise<void> {
    const began = performance.now();
    await delay(scaled(4_000));
    await recovered('the start', began);
}

export const starts: readonly Scenario[] = [
    {
        id: 'F15',
        fault: 'started in any order, PostgreSQL and Redis absent',
        form: 'apart',
        launch: startWithoutDependencies,
        run: justWrite,
    },
    {
        id: 'F16',
        fault: 'three migration runners at once, one killed',
        form: 'apart',
        launch: migrateAtOnce,
        run: justWrite,
    },
];
