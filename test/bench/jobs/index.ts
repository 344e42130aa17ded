import { accountJobs } from './accounts.ts';
import { credentialJobs } from './credentials.ts';
import { didJobs } from './dids.ts';
import type { Job } from './job.ts';
import { presentationJobs } from './presentations.ts';

/** Everything that is measured over HTTP, in the order of the report. */
export const JOBS: readonly Job[] = [...didJobs, ...credentialJobs, ...presentationJobs, ...accountJobs];
