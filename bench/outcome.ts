import type { Measured } from './load/run.ts';

/** The cost of one job. */
export interface Outcome extends Measured {
    name: string;
    requestsPerSecond: number;
    /** CPU time of all processes except the load process. */
    cpuUsPerRequest: number;
    requestsPerCpuSecond: number;
}

export function outcomeOf(name: string, measured: Measured): Outcome {
    const cpuS = servingSeconds(measured.cpuS);
    return {
        name,
        ...measured,
        requestsPerSecond: measured.requests / measured.seconds,
        cpuUsPerRequest: (cpuS / measured.requests) * 1e6,
        requestsPerCpuSecond: measured.requests / cpuS,
    };
}

/** CPU seconds of all processes except the load process. */
export function servingSeconds({ load: _, ...serving }: Record<string, number>): number {
    return Object.values(serving).reduce((sum, seconds) => sum + seconds, 0);
}
