import type { Bed } from './bed.ts';
import { type Floor, floorOf, type PartCosts } from './floors/floor.ts';
import { measureHttp, measureParts } from './floors/measure.ts';
import { JOBS } from './jobs/index.ts';
import type { Ground, Job } from './jobs/job.ts';
import { LIMITER, runLimiter } from './limiter/run.ts';
import { NAIVE_JOBS, runNaive } from './naive/run.ts';
import type { Outcome } from './outcome.ts';
import { runJob } from './run-job.ts';
import type { Stack } from './stack.ts';

/** A job with its floor. */
export type JobOutcome = Outcome & { floor: Floor };

export interface SuiteResults {
    costs: PartCosts;
    outcomes: JobOutcome[];
    naive: Outcome[];
}

export const JOB_NAMES: readonly string[] = [...JOBS.map(({ name }) => name), LIMITER];

/** Each part of the floor is measured for so long, or for as long as each job where that is less. */
const PART_S = 0.7;

interface Suite extends Bed {
    only: readonly string[];
    seconds: number;
    connections: number;
}

/** Measures the parts of the floors, the jobs that are asked for, and the naive service at those that it can do. */
export async function runSuite({
    stack,
    ground,
    requests_file,
    log_file,
    only,
    ...load
}: Suite): Promise<SuiteResults> {
    const isWanted = (name: string): boolean => only.length === 0 || only.includes(name);
    const { postgres = [], redis = [] } = stack.groups;
    const seconds = Math.min(PART_S, load.seconds);
    const costs = await measureParts({ ...stack, groups: { postgres, redis }, log_file, seconds });
    const jobs = JOBS.filter(({ name }) => isWanted(name));
    const outcomes: JobOutcome[] = [];
    for (const job of jobs) outcomes.push(await withFloor({ job, stack, ground, requests_file, load, costs }));
    if (isWanted(LIMITER)) outcomes.push(await limiterWithFloor(stack, load, costs));
    const with_peer = jobs.filter(({ name }) => NAIVE_JOBS.includes(name));
    const naive = await runNaive({ ...load, jobs: with_peer, stack, world: ground.world, requests_file });
    return { costs, outcomes, naive };
}

async function withFloor(options: {
    job: Job;
    stack: Stack;
    ground: Ground;
    requests_file: string;
    load: { seconds: number; connections: number };
    costs: PartCosts;
}): Promise<JobOutcome> {
    const { job, stack, ground, requests_file, load, costs } = options;
    const run = { ...load, requests_file, job, ground, targets: stack.gateways, groups: stack.groups };
    const { outcome, first_request } = await runJob(run);
    const http_us = await measureHttp(run, { body: first_request?.body, sample: outcome.sample });
    console.log(`${job.name}: ${Math.round(outcome.requests_per_second)} requests per second`);
    return { ...outcome, floor: floorOf(job.parts, costs, http_us) };
}

async function limiterWithFloor(
    stack: Stack,
    load: { seconds: number; connections: number },
    { limit }: PartCosts,
): Promise<JobOutcome> {
    return { ...(await runLimiter(stack, load)), floor: { parts: { limit }, total_us: limit } };
}
