import { startChild } from '../children.ts';
import { cpuOf, difference, type Groups, peakMiB, resetPeaks } from '../proc.ts';
import type { ClosedLoopPlan } from './closed-loop.ts';
import type { OpenLoopPlan, OpenLoopResult } from './open-loop.ts';
import type { LoadPlan } from './process.ts';
import type { LoadResult } from './tally.ts';

export interface Spent {
    /** CPU seconds of each group while answers were counted, and of the load itself. */
    cpu_s: Record<string, number>;
    /** Peak of resident memory of each group, in MiB; pages that processes share are counted in each of them. */
    peak_mib: Record<string, number>;
}

export type Measured = LoadResult & Spent;

/** The ends of the time in which answers are counted. */
interface Moments {
    began?(): void;
    ended?(): void;
}

type WithFile<Plan> = Plan & { requests_file: string };

/** Runs a load in a process of its own and tells what the groups have spent on it. */
export function measureLoad(plan: WithFile<ClosedLoopPlan>, groups: Groups, on: Moments = {}): Promise<Measured> {
    return measure<LoadResult>(plan, groups, on);
}

export function measureOpenLoad(plan: WithFile<OpenLoopPlan>, groups: Groups): Promise<OpenLoopResult & Spent> {
    return measure<OpenLoopResult>(plan, groups, {});
}

async function measure<Result>(plan: LoadPlan, groups: Groups, on: Moments): Promise<Result & Spent> {
    for (const pids of Object.values(groups)) resetPeaks(pids);
    const child = startChild(new URL('process.ts', import.meta.url));
    const { promise, resolve, reject } = Promise.withResolvers<Result & Spent>();
    let cpu_before: Record<string, number> = {};
    const finish = (message: { result: Result; cpu_s: number }): Result & Spent => {
        const cpu_s = { ...difference(cpu_before, cpuOf(groups)), load: message.cpu_s };
        on.ended?.();
        const peaks = Object.entries(groups).map(([name, pids]) => [name, peakMiB(pids)]);
        return { ...message.result, cpu_s, peak_mib: Object.fromEntries(peaks) };
    };
    child.on('message', (message: { began: true } | { result: Result; cpu_s: number }) => {
        try {
            if ('result' in message) return resolve(finish(message));
            cpu_before = cpuOf(groups);
            on.began?.();
        } catch (error) {
            reject(error); // for instance where a process of a group has ended
        }
    });
    child.on('exit', (code) => reject(new Error(`The load's process ended with ${code}.`)));
    child.send(plan);
    return promise;
}
