import type { Bed } from './bed.ts';
import { type Floor, floorOf, partsOf } from './floors/floor.ts';
import { type Floors, measureHttp, openFloors } from './floors/measure.ts';
import { HTTP_JOB_NAMES, JOBS } from './jobs/index.ts';
import { LIMITER, runLimiter } from './limiter/run.ts';
import { NAIVE_JOBS, openNaive } from './naive/run.ts';
import type { Outcome } from './outcome.ts';
import { runJob } from './run-job.ts';
import type { Stack } from './stack.ts';

/** A job with its floor. */
export type JobOutcome = Outcome & { floor: Floor };

export interface SuiteResults {
    outcomes: JobOutcome[];
    naive: Outcome[];
}

export const JOB_NAMES: readonly string[] = [...HTTP_JOB_NAMES, LIMITER];

/** Each part of a floor is measured for so long, or for as long as each job where that is less. */
const PART_S = 0.7;

interface Suite extends Bed {
    only: readonly string[];
    seconds: number;
    connections: number;
}

/** Measures each job that is asked for, then its floor, and then the naive service where that can do it. */
export async function runSuite({
    stack,
    environment,
    requests_file,
    log_file,
    only,
    ...load
}: Suite): Promise<SuiteResults> {
    const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);
    const { postgres = [], redis = [] } = stack.groups;
    const seconds = Math.min(PART_S, load.seconds);
    using floors = await openFloors({ ...stack, groups: { postgres, redis }, log_file, seconds });
    await using peer = await openNaive({ ...load, stack, world: environment.world, requests_file });
    const outcomes: JobOutcome[] = [];
    const naive: Outcome[] = [];
    for (const job of JOBS.filter(({ name }) => isWanted(name))) {
        const run = { ...load, requests_file, job, environment, targets: stack.gateways, groups: stack.groups };
        const { outcome, first_request } = await runJob(run);
        const http_us = await measureHttp(run, { body: first_request?.body, sample: outcome.sample });
        const costs = await floors.measure(partsOf(job.parts));
        outcomes.push({ ...outcome, floor: floorOf(job.parts, costs, http_us) });
        if (NAIVE_JOBS.includes(job.name)) naive.push(await peer.measure(job));
        console.log(`${job.name}: ${Math.round(outcome.requests_per_second)} requests per second`);
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
    return { ...outcome, floor: { parts: { limit }, total_us: limit } };
}
