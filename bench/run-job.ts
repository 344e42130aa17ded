import { type BenchEnvironment, loadOf, requestsFor, type Workload } from './jobs/job.ts';
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
    /** The processes whose cost is counted. */
    groups: Groups;
    /** The file from which the load process reads its requests. */
    requestsFile: string;
    seconds: number;
    connections: number;
}

/** Measures a job. Returns its outcome and the first of its requests. The requests stay in the file. */
export async function runJob({ job, environment, groups, ...load }: JobRun): Promise<{
    outcome: Outcome;
    firstRequest: HttpRequest | undefined;
}> {
    const requests = await requestsFor(job, WARMUP_S + load.seconds, environment);
    writeRequests(load.requestsFile, requests);
    const measured = await measureLoad({ ...load, ...loadOf(job), warmupS: WARMUP_S }, groups);
    if (measured.sample === '') throw new Error(`${job.name} was not answered:\n${measured.firstError}`);
    return { outcome: outcomeOf(job.name, measured, job.items), firstRequest: requests[0] };
}
