import assert from 'node:assert/strict';
import { after } from 'node:test';
import { Redis as SingleRedis } from 'ioredis';
import type { Confirmation } from '../../platform/access/limit-script.ts';
import { type Limiter, limiter } from '../../platform/access/limiter.ts';
import type { RequestCounts } from '../../platform/access/request-counts.ts';
import { awaitRedis, type Redis } from '../../platform/redis/redis.ts';
import { PUNCTUAL } from '../../platform/redis/redis-options.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../platform/telemetry/metrics.ts';
import { quiet } from './context.ts';

/** The Redis that `npm test` (test/run.ts) has started for the tests. */
export const redisUrl =
    process.env['TEST_REDIS_URL'] ?? assert.fail('TEST_REDIS_URL is not set: run this file with "npm test -- <file>".');

/**
 * A connection to this file's database of the real Redis (own-redis.ts). It is closed when the file is done. Unlike those of
 * the service it has no time limit for an answer, because Redis may be slow on a busy machine.
 */
export async function testRedis(): Promise<Redis> {
    const redis = new SingleRedis(redisUrl, { ...PUNCTUAL, enableOfflineQueue: false });
    await awaitRedis(redis, 60_000);
    after(() => redis.disconnect());
    return redis;
}

/** The fields of an AuthenticateResponse for a key without restrictions. */
export const UNRESTRICTED = { allowed_addresses: [], version: 0, bucket: '', gone: false, suspended: false };

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

/** For tests in which nobody asks for the counts of requests. */
export const UNCOUNTED: RequestCounts = {
    admitted() {},
    refused() {},
    verifiedPresentation() {},
    loggedIn() {},
    async stop() {},
};

/** The owning service's confirmation, asked at this time (`performance.now()`) by an earlier call. */
export function confirmedAt(askedAt: number): Confirmation {
    return { askedAt, byThisCall: false };
}
