import { type BenchEnvironment, requestsFor, type Workload } from './jobs/job.ts';
import type { Target } from './load/connection.ts';
import { type HttpRequest, writeRequests } from './load/requests.ts';
import { measureLoad } from './load/run.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Groups } from './proc.ts';
import { WARMUP_S } from './warm-up.ts';

export interface JobRun {
    job: Workload;
    environment: BenchEnvironment;
    targets: readonly Target[];
    /** Whose cost is counted. */
    groups: Groups;
    /** Where the requests are put for the load's process. */
    requests_file: string;
    seconds: number;
    connections: number;
}

/** Measures a job; its requests are still in the file, of which the first is given. */
export async function runJob({ job, environment, groups, ...load }: JobRun): Promise<{
    outcome: Outcome;
    first_request: HttpRequest | undefined;
}> {
    const requests = await requestsFor(job, WARMUP_S + load.seconds, environment);
    writeRequests(load.requests_file, requests);
    const { expected, repeat = false } = job;
    const measured = await measureLoad({ ...load, expected, repeat, warmup_s: WARMUP_S }, groups);
    if (measured.sample === '') throw new Error(`${job.name} was not answered:\n${measured.first_error}`);
    return { outcome: outcomeOf(job.name, measured), first_request: requests[0] };
}
