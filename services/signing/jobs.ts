import type { Job } from '../../platform/redis/jobs.ts';
import { SERVICE_DEFINITIONS } from '../../proto/services.ts';
import { claimSweep } from '../idempotency/claim-sweep.ts';
import { relayJob } from '../outbox/relay.ts';
import { checkpointJob } from './checkpoints.ts';

type Dependencies = Parameters<ReturnType<typeof claimSweep>>[0] & Parameters<ReturnType<typeof relayJob>>[0];

/** Expired claims are removed, events passed on, and the audit is signed. */
export function signingJobs(dependencies: Dependencies): Record<string, Job> {
    const { serviceClient } = dependencies;
    return {
        ...claimSweep('signing')(dependencies),
        ...relayJob('signing')(dependencies),
        ...checkpointJob({
            events: serviceClient('events', SERVICE_DEFINITIONS.events),
            signing: serviceClient('signing', SERVICE_DEFINITIONS.signing),
        }),
    };
}
