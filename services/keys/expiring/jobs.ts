import type { Database } from '../../../platform/postgres/db.ts';
import type { Job } from '../../../platform/redis/jobs.ts';
import { keyStore } from '../store.ts';
import { tellExpiring } from './expiring.store.ts';

/** Interval between two runs, in milliseconds. */
const EVERY_MS = 60_000;

/** Keys that have expired no longer count as active, and the owners of keys that soon expire are told. */
export function expiryJob({ db, clock }: { db: Database; clock(): number }): Record<string, Job> {
    async function run(): Promise<void> {
        const now = new Date(clock()).toISOString();
        await keyStore(db).releaseExpired({ now });
        await tellExpiring(db, { now });
    }
    return { expire: { everyMs: EVERY_MS, run } };
}
