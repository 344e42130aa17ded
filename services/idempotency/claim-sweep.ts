import type { Database } from '../../platform/postgres/db.ts';
import type { Config } from '../../platform/process/config.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import { type Owner, pruneClaims } from './claims.store.ts';

/**
 * Interval between removals of expired claims, in milliseconds. A table then holds the claims of IDEMPOTENCY_HOURS and of
 * at most one hour more.
 */
const CLAIM_SWEEP_EVERY_MS = 3_600_000;

/** Returns the job that removes the expired claims of a service. */
export function claimSweep(owner: Owner) {
    return ({ config, db }: { config: Config; db: Database }): Record<string, Job> => ({
        claims: { everyMs: CLAIM_SWEEP_EVERY_MS, run: () => pruneClaims(db, owner, config.IDEMPOTENCY_HOURS) },
    });
}
