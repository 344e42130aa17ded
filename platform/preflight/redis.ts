import { Cluster } from 'ioredis';
import { type Redis, redisScript } from '../redis/redis.ts';
import { StartError } from '../start-error.ts';

/** Expires by itself, so a process that ends in between leaves nothing behind. */
const KEY = '{preflight}:probe';

/** Refusals that end by themselves: an outage. */
const PASSING = /^(LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|TRYAGAIN|MOVED|ASK|BUSY|OOM|MISCONF)/;

/** The commands of the service's scripts and of BullMQ's, as far as an access list may treat them differently. */
const SCRIPT = `
redis.call('SET', KEYS[1], '1', 'PX', 1000)
redis.call('GET', KEYS[1])
redis.call('INCR', KEYS[1])
redis.call('PTTL', KEYS[1])
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'a', '1')
redis.call('HINCRBY', KEYS[1], 'a', 1)
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], 'a')
redis.call('LREM', KEYS[1], 0, 'a')
redis.call('XADD', KEYS[1], 'MAXLEN', '~', 10, '*', 'a', '1')
redis.call('DEL', KEYS[1])
redis.call('ZADD', KEYS[1], 1, 'a')
redis.call('PEXPIRE', KEYS[1], 1000)
redis.call('TIME')
redis.call('INFO', 'server')
return 1`;

/** Rejects if Redis does not let this user write by a script. */
export function probeRedis(redis: Redis): Promise<unknown> {
    return redisScript(redis, SCRIPT)([KEY], []);
}

/**
 * Throws StartError if Redis refuses what the service needs: a right, the database, or writing. A Redis that does not
 * answer is no error, because a start tolerates it like any other outage.
 */
export async function preflightRedis(redis: Redis): Promise<void> {
    if (redis.status !== 'ready') return;
    try {
        if (!(redis instanceof Cluster)) await redis.select(redis.options.db ?? 0);
        await redis.info('server');
        await probeRedis(redis);
        await redis.bzpopmin(KEY, 0.001); // BullMQ waits by it; the key has an element, so this call does not wait
    } catch (error) {
        if (!isRefusal(error)) return;
        throw new StartError('redis', `Redis refuses what the service needs: ${error.message}`, { cause: error });
    }
}

/** True if Redis has answered, and will not answer otherwise until somebody changes its configuration. */
function isRefusal(error: unknown): error is Error {
    return Error.isError(error) && error.name === 'ReplyError' && !PASSING.test(error.message);
}
