import assert from 'node:assert/strict';
import { after } from 'node:test';
import { awaitRedis, openRedis, type Redis } from '../platform/redis.ts';
import { quiet } from './context.ts';

/** The Redis that `npm test` (test/run.ts) has started for the tests. */
export const redisUrl =
    process.env['TEST_REDIS_URL'] ?? assert.fail('TEST_REDIS_URL is not set: run this file by "npm test -- <file>".');

/** A connection to the real Redis; closed when the file is done. Keys are kept apart by the random ids in them. */
export function testRedis(): Promise<Redis> {
    return connected(redisUrl);
}

/** As testRedis, in a keyspace that no other file uses: for what folds a whole shard, or leaves there what others would fold. */
export function ownRedis(keyspace: 8 | 9): Promise<Redis> {
    return connected(Object.assign(new URL(redisUrl), { pathname: `/${keyspace}` }).href);
}

async function connected(url: string): Promise<Redis> {
    const redis = openRedis({ url, log: quiet });
    await awaitRedis(redis, 5_000);
    after(() => redis.disconnect());
    return redis;
}
