import { setTimeout as delay } from 'node:timers/promises';
import { isAcknowledged } from '../load/calls.ts';
import type { Scenario, Trial } from '../scenario.ts';
import type { Supervised } from '../stack/supervisor.ts';

const CLOCK = ['--import', './test/full/faults/stack/shifted-clock.ts'];
const SHIFTED_MS = 6_000;
/** Largest difference (ms) between a time in an answer and the database's, in addition to the time of the request. */
const APART_MS = 5_000;
/** A process whose clock is wrong by more than 5 s must stop being ready within this time, in milliseconds. */
const NOTICED_MS = 45_000;

async function run(trial: Trial): Promise<void> {
    const { stack, recovered, broken } = trial;
    for (const [role, seconds] of [
        ['identity', 4],
        ['gateway', -4],
    ] as const) {
        const [one] = stack.of(role);
        if (!one) continue;
        await restart(one, seconds);
        await one.ready();
        const began = performance.now();
        await recovered(`the start of ${role} with a wrong clock`, began);
        await compareTimes(trial, role, began);
        await restart(one, 0);
        await one.ready();
    }
    const [identity] = stack.of('identity');
    if (!identity) return;
    for (const seconds of [7, -7]) {
        await restart(identity, seconds);
        if (!(await isKeptOut(identity))) broken('I7', `identity is ready with a clock ${seconds} s wrong`);
    }
    await restart(identity, 0);
    await identity.ready();
    await recovered('right clocks', performance.now());
}

async function restart(one: Supervised, seconds: number): Promise<void> {
    await one.end('SIGTERM');
    one.setFlags(seconds === 0 ? [] : CLOCK);
    one.setEnvironment({ CLOCK_SHIFT_MS: String(seconds * 1_000) });
    one.launch();
}

/** Returns whether the process is not ready, from its start or within NOTICED_MS. */
async function isKeptOut(one: Supervised): Promise<boolean> {
    await delay(3_000);
    const giveUp = performance.now() + NOTICED_MS;
    while (await one.isReady()) {
        if (performance.now() > giveUp) return false;
        await delay(200);
    }
    return true;
}

/** Compares the times in answers given since `began` with this machine's clock, which is also the database's. */
async function compareTimes({ load, scaled, broken }: Trial, role: string, began: number): Promise<void> {
    await delay(scaled(SHIFTED_MS));
    for (const { number, intent, outcome, ended = 0 } of load.between(began, performance.now())) {
        if (!isAcknowledged(outcome)) continue;
        const answered = performance.timeOrigin + ended;
        const at = outcome.data['issued_at'] ?? outcome.data['created_at'];
        const apart = at === undefined ? 0 : Date.parse(String(at)) - answered;
        if (apart > APART_MS || apart < -APART_MS - outcome.tookMs) {
            broken(
                'I6',
                `with a wrong clock in ${role}, a time in ${intent.kind} ${number} is ${Math.round(apart)} ms off`,
            );
            return;
        }
    }
}

export const clocks: readonly Scenario[] = [
    { id: 'F8', fault: 'the clock of one process is 4 or 7 s wrong', form: 'apart', mayLose: true, run },
];
