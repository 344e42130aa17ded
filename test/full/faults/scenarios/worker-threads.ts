import { setTimeout as delay } from 'node:timers/promises';
import { openThreads } from '../../../../bench/profile/inspector.ts';
import { pickPort } from '../../../../deploy/local/ports.ts';
import type { Kind } from '../load/journal.ts';
import type { LaunchTrial, Scenario, Trial } from '../scenario.ts';

const TARGET_MS = 1_000;
/** Number of times that the threads of each process are ended. */
const ENDS = 5;
/** Roles with threads, and a kind of write that needs one. */
const ROLES: ReadonlyArray<readonly [role: string, kind: Kind]> = [
    ['credentials', 'issue'],
    ['presentations', 'present'],
    ['identity', 'register'],
];
/** Inspector port of each role, through which its threads are reached. */
const ports = new Map<string, number>();

async function launch({ stack }: LaunchTrial): Promise<void> {
    for (const [role] of ROLES) {
        const port = await pickPort();
        ports.set(role, port);
        for (const one of stack.of(role)) one.setFlags([`--inspect=127.0.0.1:${port}`]);
    }
    await stack.migrate();
    await stack.launch();
}

/** Ends all threads of a process through the inspector, as a fault in native code would end them. */
async function run({ stack, scaled, recovered, broken, note }: Trial): Promise<void> {
    const ends = Math.max(1, Math.round(scaled(ENDS)));
    let ended = 0;
    for (let turn = 0; turn < ends; turn++) {
        for (const [role, kind] of ROLES) {
            const threads = await openThreads(ports.get(role) ?? 0);
            await delay(100); // the inspector reports them one after the other
            const workers = threads.workers();
            for (const send of workers) send('Runtime.evaluate', { expression: 'process.exit(1)' }).catch(() => {});
            ended += workers.length;
            threads.close();
            await recovered(`the end of the threads of ${role}`, performance.now(), TARGET_MS, kind);
            if (stack.of(role).some(({ crashes }) => crashes() > 0)) broken('I6', `${role} ended with its threads`);
        }
    }
    note(`${ended} threads were ended`);
    if (ended === 0) broken('I6', 'no thread was found');
}

export const workerThreads: readonly Scenario[] = [
    { id: 'F5', fault: 'worker threads end', form: 'apart', launch, run },
];
