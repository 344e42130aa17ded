import { DAY_MS } from '../../platform/days.ts';
import type { Database } from '../../platform/postgres/db.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import { pruneEvents } from './prune.store.ts';

/** Old events are removed. */
export function eventsJobs({ db }: { db: Database }): Record<string, Job> {
    return { prune: { everyMs: DAY_MS, run: () => pruneEvents(db) } };
}
