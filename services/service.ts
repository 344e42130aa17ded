import type { ProcessAccess } from '../platform/access/process-access.ts';
import type { Database } from '../platform/postgres/db.ts';
import type { Config } from '../platform/process/config.ts';
import type { Job } from '../platform/redis/jobs.ts';
import type { Redis } from '../platform/redis/redis.ts';
import {
    type BoundMethod,
    bind,
    type ItemCounts,
    type ServiceDefinition,
    type ServiceOf,
} from '../platform/rpc/definition.ts';
import type { Log } from '../platform/telemetry/log.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Readiness } from '../platform/telemetry/readiness.ts';
import type { ServiceRole } from '../proto/services.ts';
import type { PartMap } from './credentials/parts/part-map.ts';
import type { CryptoPools } from './crypto-pools.ts';
import type { DatabasesOf } from './databases.ts';
import type { Owner } from './idempotency/claims.store.ts';
import type { Idempotency } from './idempotency/idempotency.ts';

/** What a process provides to the services that run in it. */
export interface ServiceDependencies extends CryptoPools, ProcessAccess {
    config: Config;
    /** The database with the schema of this service. Of credentials it is part 0. */
    db: Database;
    /** For usage, which reads the counts of other services, and for the parts of the credentials. */
    databasesOf: DatabasesOf;
    credentialParts: PartMap;
    redis: Redis;
    log: Log;
    metrics: Metrics;
    /** Adds a check without which this process is not ready. */
    addCheck: Readiness['addCheck'];
    /** Milliseconds since 1970. */
    clock: () => number;
    /** Returns the idempotency of a service. */
    idempotency(owner: Owner): Idempotency;
    /** Returns a client of another service, which may run in this process or elsewhere. */
    serviceClient<D extends ServiceDefinition>(role: ServiceRole, definition: D): ServiceOf<D>;
}

/** A service, as a process starts it. */
export interface Service {
    /** Creates the service. Returns its methods. */
    build(dependencies: ServiceDependencies): BoundMethod[];
    /** Returns its periodic jobs. */
    jobs?(dependencies: ServiceDependencies): Record<string, Job>;
    /** Starts what every process of the role does all the time. */
    work?(dependencies: ServiceDependencies): { stop(): Promise<void> };
}

/** Describes a service: how it is created, what the items of its calls count as, and its periodic jobs. */
export function service<D extends ServiceDefinition>(
    definition: D,
    create: (dependencies: ServiceDependencies) => ServiceOf<D>,
    { itemCounts, jobs, work }: { itemCounts?: ItemCounts<D> } & Pick<Service, 'jobs' | 'work'> = {},
): Service {
    return {
        build(dependencies) {
            return bind(definition, create(dependencies), itemCounts);
        },
        ...(jobs && { jobs }),
        ...(work && { work }),
    };
}
