import assert from 'node:assert/strict';
import { after } from 'node:test';
import { awaitRedis, openRedis, type Redis } from '../../platform/redis/redis.ts';
import { quiet } from './context.ts';

/** The Redis that `npm test` (test/run.ts) has started for the tests. */
export const redisUrl =
    process.env['TEST_REDIS_URL'] ?? assert.fail('TEST_REDIS_URL is not set: run this file with "npm test -- <file>".');

/** A connection to this file's database of the real Redis (own-redis.ts). It is closed when the file is done. */
export async function testRedis(): Promise<Redis> {
    const redis = openRedis({ url: redisUrl, log: quiet });
    await awaitRedis(redis, 5_000);
    after(() => redis.disconnect());
    return redis;
}
