import type { Database } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import { countJobs } from '../counts/roll-up.ts';
import { claimSweep } from '../idempotency/claim-sweep.ts';
import { relayJob } from '../outbox/relay.ts';
import { exposeAge } from './status-lists/age.ts';
import { statusListPublisher } from './status-lists/publisher.ts';
import { statusListStore } from './status-lists/status-lists.store.ts';

/**
 * Number of runs of the publisher within STATUS_LIST_SECONDS. A revocation may have to wait for two of them. Beyond it:
 * the others wait.
 */
const RUNS = 3;

type JobsDependencies = Omit<Parameters<ReturnType<typeof claimSweep>>[0], 'db'> & {
    databasesOf(role: 'credentials'): readonly Database[];
    metrics: Metrics;
    clock: () => number;
    serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
};

/** Each part has its own jobs, so a part that is away stops only those. The name of a further part's job ends with it. */
export function credentialsJobs(dependencies: JobsDependencies): Record<string, Job> {
    const databases = dependencies.databasesOf('credentials');
    exposeAge(dependencies.metrics, databases.map(statusListStore));
    const jobs = databases.map((db, part) => {
        const own = Object.entries(jobsOf(db, dependencies));
        return own.map(([name, job]) => [part === 0 ? name : `${name}_${part}`, job] as const);
    });
    return Object.fromEntries(jobs.flat());
}

/** Expired claims are removed, and status lists are published. The publisher does not wait for the other job. */
function jobsOf(db: Database, { config, clock, serviceClient }: JobsDependencies): Record<string, Job> {
    const signing = serviceClient('signing', SERVICE_DEFINITIONS.signing);
    const publisher = statusListPublisher({ store: statusListStore(db), signing, clock });
    return {
        ...claimSweep('credentials')({ config, db }),
        ...countJobs('credentials')({ db, clock }),
        ...relayJob('credentials')({ db, serviceClient }),
        status_lists: {
            everyMs: (config.STATUS_LIST_SECONDS * 1_000) / RUNS,
            run: () => publisher.run(),
            alone: true,
        },
    };
}
