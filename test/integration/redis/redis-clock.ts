import type { Redis } from '../../../platform/redis/redis.ts';

/** The time of Redis' clock (ms since 1970). */
export async function redisNow(redis: Redis): Promise<number> {
    const [seconds, microseconds] = (await redis.time()) as Array<number | string>;
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}
