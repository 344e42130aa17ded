import type { Measured } from './load/run.ts';

/** What one job has cost. */
export interface Outcome extends Measured {
    name: string;
    requests_per_second: number;
    /** Of all processes but the load's. */
    cpu_us_per_request: number;
    requests_per_cpu_second: number;
}

export function outcomeOf(name: string, measured: Measured): Outcome {
    const cpu_s = servingSeconds(measured.cpu_s);
    return {
        name,
        ...measured,
        requests_per_second: measured.requests / measured.seconds,
        cpu_us_per_request: (cpu_s / measured.requests) * 1e6,
        requests_per_cpu_second: measured.requests / cpu_s,
    };
}

/** CPU of all but the load. */
export function servingSeconds({ load: _, ...serving }: Record<string, number>): number {
    return Object.values(serving).reduce((sum, seconds) => sum + seconds, 0);
}
