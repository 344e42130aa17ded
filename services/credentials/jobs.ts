import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../proto/services.ts';
import { countJobs } from '../counts/roll-up.ts';
import { claimSweep } from '../idempotency/claim-sweep.ts';
import { exposeAge } from './status-lists/age.ts';
import { statusListPublisher } from './status-lists/publisher.ts';
import { statusListStore } from './status-lists/status-lists.store.ts';

/**
 * Number of runs of the publisher within STATUS_LIST_SECONDS. A revocation may have to wait for two of them. Beyond it:
 * the others wait.
 */
const RUNS = 3;

/** Expired claims are removed, and status lists are published. The publisher does not wait for the other job. */
export function credentialsJobs(
    dependencies: Parameters<ReturnType<typeof claimSweep>>[0] & {
        metrics: Metrics;
        clock: () => number;
        serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
    },
): Record<string, Job> {
    const { config, db, metrics, clock, serviceClient } = dependencies;
    const store = statusListStore(db);
    const signing = serviceClient('signing', SERVICE_DEFINITIONS.signing);
    const publisher = statusListPublisher({ store, signing, clock });
    exposeAge(metrics, store);
    return {
        ...claimSweep('credentials')(dependencies),
        ...countJobs('credentials')(dependencies),
        status_lists: {
            everyMs: (config.STATUS_LIST_SECONDS * 1_000) / RUNS,
            run: () => publisher.run(),
            alone: true,
        },
    };
}
