import { Cluster } from 'ioredis';
import { type Redis, redisScript } from '../redis/redis.ts';
import { StartError } from '../start-error.ts';

/** Expires by itself, so a process that ends in between leaves nothing behind. */
const KEY = '{preflight}:probe';
/** Does not exist. */
const NO_KEY = '{preflight}:none';

/** Refusals that end by themselves: an outage. */
const PASSING = /^(LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|TRYAGAIN|MOVED|ASK|BUSY|OOM|MISCONF)/;

/**
 * The commands that the service, its scripts, BullMQ and `rate-limiter-flexible` use, each with the arguments that follow
 * the key. The first ones write, and leave the key as what the next ones expect; most of the others find no key.
 */
const COMMANDS = `
SET 1 PX 1000|GET|INCR|INCRBY 1|EXPIRE 1|PTTL|DEL
HSET a 1|HMSET a 1|HINCRBY a 1|HGET a|HMGET a|HGETALL|HEXISTS a|HDEL a
LPUSH a|RPUSH a|LINDEX 0|LRANGE 0 0|LLEN|LREM 0 b|LTRIM 0 0|RPOP|DEL
SADD a|SCARD|SMEMBERS|SREM a
XADD MAXLEN ~ 10 * a 1|XTRIM MAXLEN 0|DEL
ZSCORE a|ZCARD|ZCOUNT 0 1|ZRANGE 0 0|ZREVRANGE 0 0|ZRANGEBYSCORE 0 1|ZREVRANGEBYSCORE 1 0
ZPOPMIN|ZREM a|ZREMRANGEBYRANK 0 0|ZREMRANGEBYSCORE 0 1|ZADD 1 a|PEXPIRE 1000|EXISTS`
    .trim()
    .split(/[|\n]/);

const SCRIPT = `
${COMMANDS.map((command) => `redis.call(${command.split(' ').map(quoted).toSpliced(1, 0, 'KEYS[1]').join(', ')})`).join('\n')}
redis.call('RPOPLPUSH', KEYS[2], KEYS[2])
redis.call('TIME')
redis.call('INFO', 'server')
return 1`;

function quoted(text: string): string {
    return `'${text}'`;
}

/** Rejects if Redis does not let this user run the commands of the service in a script. */
export function probeRedis(redis: Redis): Promise<unknown> {
    return redisScript(redis, SCRIPT)([KEY, NO_KEY], []);
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
        await redis.eval('return 1', 1, KEY); // probeRedis needs it only while Redis does not have the script
        await probeRedis(redis);
        await redis.multi().zscore(KEY, 'a').exec();
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
