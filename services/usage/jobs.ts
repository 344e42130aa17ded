import { DAY_MS, dayText } from '../../platform/days.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import { countJobs } from '../counts/roll-up.ts';
import { pruneUsage } from './prune.store.ts';
import { ACTIVITY } from './roll-up.store.ts';

/** Requests are rolled up with the days on which accounts are active, and old days are removed. */
export function usageJobs(dependencies: Parameters<ReturnType<typeof countJobs>>[0]): Record<string, Job> {
    const { db, clock } = dependencies;
    return {
        ...countJobs('usage', ACTIVITY)(dependencies),
        prune: { everyMs: DAY_MS, run: () => pruneUsage(db, dayText(clock())) },
    };
}
