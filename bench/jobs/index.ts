import { accountJobs } from './accounts.ts';
import { credentialJobs } from './credentials.ts';
import { didJobs } from './dids.ts';
import type { Workload } from './job.ts';
import { presentationJobs } from './presentations.ts';
import { walletJobs } from './wallets.ts';

/** All jobs that are measured over HTTP, in the order of the report. */
export const JOBS: readonly Workload[] = [
    ...didJobs,
    ...credentialJobs,
    ...walletJobs,
    ...presentationJobs,
    ...accountJobs,
];

export const HTTP_JOB_NAMES: readonly string[] = JOBS.map(({ name }) => name);

/** The jobs of which each request stands for itself. */
export const SINGLE_JOB_NAMES: readonly string[] = JOBS.filter(({ dialogue }) => !dialogue).map(({ name }) => name);

export function jobNamed(name: string): Workload {
    const job = JOBS.find((candidate) => candidate.name === name);
    if (!job) throw new Error(`There is no job ${name}.`);
    return job;
}
