import { type Guard, guard } from '../../../platform/access/guard.ts';
import { livenessMarks } from '../../../platform/access/liveness-marks.ts';
import { LONGEST_OF_ACCOUNT_MS, ownContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/postgres/db.ts';
import type { Config } from '../../../platform/process/config.ts';
import type { Job } from '../../../platform/redis/jobs.ts';
import type { Redis } from '../../../platform/redis/redis.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { claimErasure } from '../../idempotency/erase.store.ts';
import { guardSubject } from '../guard-subject.ts';
import { identityStore } from '../store.ts';
import { exposeErasureAge } from './age.ts';
import { type AccountEnd, accountEnd } from './end-account.ts';
import { type ErasedServices, erasedServices } from './erased-services.ts';
import { dueErasures, finishErasure, oldestErasureAge } from './erasures.store.ts';

/** Interval between two looks for erasures, in milliseconds. */
const ERASE_EVERY_MS = 2_000;
/**
 * How long after a step of an erasure the job goes on with it, in milliseconds: longer than any call of the account takes.
 * So the call that has decided it is over, and after its end no call of the account stores anything any more.
 */
const CALLS_END_MS = LONGEST_OF_ACCOUNT_MS + 1_000;
/** Number of accounts that one run erases. Beyond it: the next run erases the rest. */
const RUN_ACCOUNTS = 100;
/**
 * How long one run works on an account, in milliseconds. So a large account does not keep the webhooks of others running.
 * Beyond it: the next run goes on.
 */
const ACCOUNT_MS = 5_000;

interface ErasureDependencies extends Omit<AccountEnd, 'keys'> {
    db: Database;
    guard: Pick<Guard, 'forget'>;
    /** Default: ACCOUNT_MS. */
    accountMs?: number;
    services: ErasedServices;
}

/**
 * Ends the accounts whose erasure a call has decided without ending them, and erases what the services store about those
 * that have ended, in small calls. It may be interrupted at any point, and several may run at once: an erasure is finished
 * only after every service has nothing left, and whoever finishes it first publishes that. An account that fails does not
 * keep the others waiting. Throws at the end if some have failed.
 */
export async function finishErasures(dependencies: ErasureDependencies): Promise<void> {
    const { db, services } = dependencies;
    const end = accountEnd({ ...dependencies, keys: services.keys });
    const failures: unknown[] = [];
    const each = async (
        due: Omit<Parameters<typeof dueErasures>[1], 'limit'>,
        go: (account: string) => Promise<unknown>,
    ): Promise<void> => {
        for (const account of await dueErasures(db, { ...due, limit: RUN_ACCOUNTS })) {
            await go(account).catch((error: unknown) => void failures.push(error));
        }
    };
    await each({ step: 'requested', afterMs: CALLS_END_MS }, (account) => end(account, ownContext()));
    // This stops the webhooks at once, also if earlier erasures cannot go on. A running call may still create one; a later
    // run removes it.
    await each({ step: 'ended', afterMs: 0, newest: true }, (account) =>
        services.webhooks.eraseAccount({ user_id: account }, ownContext()),
    );
    await each({ step: 'ended', afterMs: CALLS_END_MS }, (account) => eraseOne(account, dependencies));
    const [first] = failures;
    if (failures.length === 1) throw first;
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} steps of erasures have failed`);
}

async function eraseOne(
    account: string,
    { db, guard, services, accountMs = ACCOUNT_MS }: ErasureDependencies,
): Promise<void> {
    const until = performance.now() + accountMs;
    const erase = Object.values(services).map(
        (service) => async () => (await service.eraseAccount({ user_id: account }, ownContext())).done,
    );
    const claims = claimErasure('identity', db);
    for (const step of [...erase, () => claims(account)]) {
        while (!(await step())) if (performance.now() >= until) return;
    }
    await guard.forget([guardSubject({ user_id: account })]);
    await finishErasure(db, account);
}

/** Returns the job that erases deleted accounts, and exports how far behind it is. */
export function erasureJob({
    db,
    redis,
    metrics,
    config: { REDIS_SHARDS: shards },
    clock,
    serviceClient,
}: Pick<ErasureDependencies, 'db' | 'clock'> & {
    redis: Redis;
    metrics: Metrics;
    config: Config;
    serviceClient: Parameters<typeof erasedServices>[0];
}): Record<string, Job> {
    exposeErasureAge(metrics, db);
    const dependencies = {
        db,
        store: identityStore(db),
        guard: guard({ redis, shards }),
        livenessMarks: livenessMarks({ redis, shards }),
        services: erasedServices(serviceClient),
        clock,
    };
    const isDue = async () => (await oldestErasureAge(db)) > 0;
    const run = () => finishErasures(dependencies);
    return { erase: { everyMs: ERASE_EVERY_MS, isDue, run, alone: true } };
}
