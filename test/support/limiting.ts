import type { Confirmation } from '../../platform/access/limit-script.ts';
import { type Limiter, limiter } from '../../platform/access/limiter.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../platform/telemetry/metrics.ts';
import { quiet } from './context.ts';

/** The fields of an AuthenticateResponse for a key without restrictions. */
export const UNRESTRICTED = { allowed_addresses: [], version: 0 };

/** A limiter. Its defaults are those of the settings. */
export function testLimiter(options: {
    redis: Redis;
    log?: Log;
    metrics?: Metrics;
    shards?: number;
    windowMs?: number;
}): Limiter {
    const { redis, log = quiet, metrics = createMetrics(), shards = 1, windowMs = 60_000 } = options;
    return limiter({ redis, shards, windowMs, log, metrics });
}

/** The owning service's confirmation, asked at this time (`performance.now()`) by an earlier call. */
export function confirmedAt(askedAt: number): Confirmation {
    return { askedAt, byThisCall: false };
}
