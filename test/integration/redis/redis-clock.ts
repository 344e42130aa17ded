import { DAY_MS } from '../../../platform/access/limit-record.ts';
import type { Redis } from '../../../platform/redis/redis.ts';

/** The time of Redis' clock (ms since 1970). */
export async function redisNow(redis: Redis): Promise<number> {
    const [seconds, microseconds] = (await redis.time()) as Array<number | string>;
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** Runs `check` with the day of Redis' clock, and repeats it if it failed because midnight passed. */
export async function onOneDay(redis: Redis, check: (day: number) => Promise<void>): Promise<void> {
    const dayNow = async () => Math.floor((await redisNow(redis)) / DAY_MS);
    const day = await dayNow();
    try {
        await check(day);
    } catch (error) {
        if (day === (await dayNow())) throw error;
        await check(day + 1);
    }
}
