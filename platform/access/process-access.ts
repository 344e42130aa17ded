import type { Config } from '../process/config.ts';
import type { Redis } from '../redis/redis.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Limiter, limiter } from './limiter.ts';
import { type RequestBatch, type RequestCounts, requestCounts } from './request-counts.ts';

/** The limiter and the request counts of a process. Each is created when it is first needed. */
export interface ProcessAccess {
    limiter(): Limiter;
    requestCounts(): RequestCounts;
}

/** `connectUsage` returns a function that sends a batch of counts to the usage service. */
export function processAccess(options: {
    config: Config;
    redis: Redis;
    /** Milliseconds since 1970. */
    clock: () => number;
    log: Log;
    metrics: Metrics;
    closing: AsyncDisposableStack;
    connectUsage(): (batch: RequestBatch) => Promise<unknown>;
}): ProcessAccess {
    const { config, redis, closing, connectUsage, ...shared } = options;
    return {
        limiter: once(() =>
            limiter({ redis, shards: config.REDIS_SHARDS, windowMs: config.RATE_WINDOW_SECONDS * 1_000, ...shared }),
        ),
        requestCounts: once(() => {
            const counts = requestCounts({ record: connectUsage(), ...shared });
            closing.defer(() => counts.stop());
            return counts;
        }),
    };
}

/** Returns a function that creates a thing when it is first called. */
function once<Thing extends object>(create: () => Thing): () => Thing {
    let created: Thing | undefined;
    return () => {
        created ??= create();
        return created;
    };
}
