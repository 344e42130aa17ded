import type { Bed } from './bed.ts';
import { type Floor, floorOf, partsOf } from './floors/floor.ts';
import { type Floors, measureHttp, openFloors } from './floors/measure.ts';
import { HTTP_JOB_NAMES, JOBS } from './jobs/index.ts';
import { LIMITER, runLimiter } from './limiter/run.ts';
import { NAIVE_JOBS, openNaive } from './naive/run.ts';
import type { Outcome } from './outcome.ts';
import { runJob } from './run-job.ts';
import type { Stack } from './stack.ts';

/** A job with its floor, if that is measured. */
export type JobOutcome = Outcome & { floor?: Floor; comparedTo?: string };

export interface SuiteResults {
    outcomes: JobOutcome[];
    naive: Outcome[];
}

export const JOB_NAMES: readonly string[] = [...HTTP_JOB_NAMES, LIMITER];

/** How long each part of a floor is measured, in seconds, but never longer than a job. */
const PART_S = 0.7;

interface Suite extends Bed {
    only: readonly string[];
    seconds: number;
    connections: number;
    processes: number;
}

/** Measures each requested job, then its floor, and then the naive service if it supports the job. */
export async function runSuite({
    stack,
    environment,
    requestsFile,
    logFile,
    only,
    processes,
    ...load
}: Suite): Promise<SuiteResults> {
    const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);
    const { postgres = [], redis = [] } = stack.groups;
    const seconds = Math.min(PART_S, load.seconds);
    using floors = await openFloors({ ...stack, groups: { postgres, redis }, logFile, seconds });
    await using peer = await openNaive({ ...load, processes, stack, world: environment.world, requestsFile });
    const outcomes: JobOutcome[] = [];
    const naive: Outcome[] = [];
    for (const job of JOBS.filter(({ name }) => isWanted(name))) {
        const run = { ...load, requestsFile, job, environment, targets: stack.gateways, groups: stack.groups };
        const { outcome, firstRequest } = await runJob(run);
        const measured: JobOutcome = { ...outcome, ...(job.comparedTo && { comparedTo: job.comparedTo }) };
        if (job.parts) {
            const httpUs = await measureHttp(run, { body: firstRequest?.body, sample: outcome.sample });
            const costs = await floors.measure(partsOf(job.parts));
            measured.floor = floorOf(job.parts, costs, httpUs);
        }
        outcomes.push(measured);
        if (NAIVE_JOBS.includes(job.name)) naive.push(await peer.measure(job));
        console.log(`${job.name}: ${Math.round(outcome.requestsPerSecond)} requests per second`);
    }
    if (isWanted(LIMITER)) outcomes.push(await limiterWithFloor(stack, load, floors));
    return { outcomes, naive };
}

async function limiterWithFloor(
    stack: Stack,
    load: { seconds: number; connections: number },
    floors: Floors,
): Promise<JobOutcome> {
    const outcome = await runLimiter(stack, load);
    const { limit = Number.NaN } = await floors.measure(['limit']);
    return { ...outcome, floor: { parts: { limit }, totalUs: limit } };
}
