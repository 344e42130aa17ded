import { fork } from 'node:child_process';
import { cpuOf, difference, type Groups, peakMiB, resetPeaks } from '../proc.ts';
import type { LoadPlan } from './process.ts';
import type { LoadResult } from './tally.ts';

export interface Measured extends LoadResult {
    /** CPU seconds of each group while answers were counted, and of the load itself. */
    cpu_s: Record<string, number>;
    /** Peak of resident memory of each group, in MiB; pages that processes share are counted in each of them. */
    peak_mib: Record<string, number>;
}

type Message = { began: true } | { result: LoadResult; cpu_s: number };

/** The ends of the time in which answers are counted. */
interface Moments {
    began?(): void;
    ended?(): void;
}

/** Runs a load in a process of its own and tells what the groups have spent on it. */
export async function measureLoad(plan: LoadPlan, groups: Groups, on: Moments = {}): Promise<Measured> {
    for (const pids of Object.values(groups)) resetPeaks(pids);
    const child = fork(new URL('process.ts', import.meta.url), { execArgv: [] });
    const { promise, resolve, reject } = Promise.withResolvers<Measured>();
    let cpu_before: Record<string, number> = {};
    child.on('message', (message: Message) => {
        if ('began' in message) {
            cpu_before = cpuOf(groups);
            on.began?.();
            return;
        }
        const cpu_s = { ...difference(cpu_before, cpuOf(groups)), load: message.cpu_s };
        on.ended?.();
        const peaks = Object.entries(groups).map(([name, pids]) => [name, peakMiB(pids)]);
        resolve({ ...message.result, cpu_s, peak_mib: Object.fromEntries(peaks) });
    });
    child.on('exit', (code) => reject(new Error(`The load's process ended with ${code}.`)));
    child.send(plan);
    return promise;
}
