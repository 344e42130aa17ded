import { startChild } from '../children.ts';
import { cpuOf, difference, type Groups, peakMiB, resetPeaks } from '../proc.ts';
import type { ClosedLoopPlan } from './closed-loop.ts';
import type { OpenLoopPlan, OpenLoopResult } from './open-loop.ts';
import type { LoadPlan } from './process.ts';
import type { LoadResult } from './tally.ts';

export interface Spent {
    /** CPU seconds of each group and of the load process while answers were counted. */
    cpuS: Record<string, number>;
    /** Peak of resident memory of each group, in MiB. Pages that processes share count in each of them. */
    peakMib: Record<string, number>;
}

export type Measured = LoadResult & Spent;

/** Called at the beginning and at the end of the time in which answers are counted. */
interface Moments {
    began?(): void;
    ended?(): void;
}

type WithFile<Plan> = Plan & { requestsFile: string };

/** Runs a load in a separate process. Returns its result and what each group used meanwhile. */
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
    let cpuBefore: Record<string, number> = {};
    const finish = (message: { result: Result; cpuS: number }): Result & Spent => {
        const cpuS = { ...difference(cpuBefore, cpuOf(groups)), load: message.cpuS };
        on.ended?.();
        const peaks = Object.entries(groups).map(([name, pids]) => [name, peakMiB(pids)]);
        return { ...message.result, cpuS, peakMib: Object.fromEntries(peaks) };
    };
    child.on('message', (message: { began: true } | { result: Result; cpuS: number }) => {
        try {
            if ('result' in message) return resolve(finish(message));
            cpuBefore = cpuOf(groups);
            on.began?.();
        } catch (error) {
            reject(error); // for instance if a process of a group has ended
        }
    });
    child.on('exit', (code) => reject(new Error(`The load process exited with ${code}.`)));
    child.send(plan);
    return promise;
}
