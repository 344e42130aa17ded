import { type Guard, guard } from '../../../platform/access/guard.ts';
import { ownContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/postgres/db.ts';
import type { Config } from '../../../platform/process/config.ts';
import type { Job } from '../../../platform/redis/jobs.ts';
import type { Redis } from '../../../platform/redis/redis.ts';
import { claimErasure } from '../../idempotency/erase.store.ts';
import { guardSubject } from '../guard-subject.ts';
import { type ErasedServices, erasedServices } from './erased-services.ts';
import { dueErasures, finishErasure } from './erasures.store.ts';

/** Interval between two looks for erasures, in milliseconds. */
const ERASE_EVERY_MS = 2_000;
/**
 * How long after its request an erasure begins, in milliseconds: longer than any call takes. So no call of the account
 * stores anything after its erasure.
 */
const CALLS_END_MS = 31_000;
/** Number of accounts that one run erases. Beyond it: the next run erases the rest. */
const RUN_ACCOUNTS = 100;

interface ErasureDependencies {
    db: Database;
    guard: Pick<Guard, 'forget'>;
    services: ErasedServices;
}

/**
 * Erases what the services store about deleted accounts, in small calls. It may be interrupted at any point, and several
 * may run at once: an erasure is finished only after every service has nothing left, and whoever finishes it first
 * publishes that. An account that fails does not keep the others waiting. Throws at the end if some have failed.
 */
export async function finishErasures(dependencies: ErasureDependencies): Promise<void> {
    const failures: unknown[] = [];
    for (const account of await dueErasures(dependencies.db, { afterMs: CALLS_END_MS, limit: RUN_ACCOUNTS })) {
        await eraseOne(account, dependencies).catch((error: unknown) => void failures.push(error));
    }
    const [first] = failures;
    if (failures.length === 1) throw first;
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} accounts cannot be erased`);
}

async function eraseOne(account: string, { db, guard, services }: ErasureDependencies): Promise<void> {
    const erase = Object.values(services).map(
        (service) => async () => (await service.eraseAccount({ user_id: account }, ownContext())).done,
    );
    const claims = claimErasure('identity', db);
    for (const step of [...erase, () => claims(account)]) while (!(await step()));
    await guard.forget([guardSubject({ user_id: account })]);
    await finishErasure(db, account);
}

/** Returns the job that erases deleted accounts. */
export function erasureJob({
    db,
    redis,
    config,
    serviceClient,
}: Pick<ErasureDependencies, 'db'> & {
    redis: Redis;
    config: Config;
    serviceClient: Parameters<typeof erasedServices>[0];
}): Record<string, Job> {
    const services = erasedServices(serviceClient);
    const records = guard({ redis, shards: config.REDIS_SHARDS });
    const run = () => finishErasures({ db, services, guard: records });
    return { erase: { everyMs: ERASE_EVERY_MS, run, alone: true } };
}
