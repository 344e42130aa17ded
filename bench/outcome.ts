import { availableParallelism } from 'node:os';
import type { Measured } from './load/run.ts';

/** The cost of one job. */
export interface Outcome extends Measured {
    name: string;
    requestsPerSecond: number;
    /** CPU time of all processes except the load process. */
    cpuUsPerRequest: number;
    requestsPerCpuSecond: number;
    /** The same for the items of batches. A single call is one item. */
    itemsPerCpuSecond: number;
    /** Part of the machine that was in use, from 0 to 1: the CPU time of all processes, also of the load process. */
    machineShare: number;
}

/** `items`: the number of items in each request. */
export function outcomeOf(name: string, measured: Measured, items = 1): Outcome {
    const cpuS = servingSeconds(measured.cpuS);
    return {
        name,
        ...measured,
        requestsPerSecond: measured.requests / measured.seconds,
        cpuUsPerRequest: (cpuS / measured.requests) * 1e6,
        requestsPerCpuSecond: measured.requests / cpuS,
        itemsPerCpuSecond: (items * measured.requests) / cpuS,
        machineShare: (cpuS + (measured.cpuS['load'] ?? 0)) / (measured.seconds * availableParallelism()),
    };
}

/** CPU seconds of all processes except the load process. */
export function servingSeconds({ load: _, ...serving }: Record<string, number>): number {
    return Object.values(serving).reduce((sum, seconds) => sum + seconds, 0);
}
