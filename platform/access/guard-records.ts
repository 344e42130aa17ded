import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { createCache } from '../cache.ts';
import type { Redis } from '../redis/redis.ts';

/** Maximum number of counts, and of successes, in a process's memory. Beyond it: the oldest half is dropped. */
const MAX_RECORDS = 100_000;
/** Maximum number of remembered addresses of one subject. Beyond it: the one with the oldest success is forgotten. */
const MAX_KNOWN = 1_000;
/** How long an address that has succeeded is remembered, in milliseconds. */
const REMEMBERED_MS = 90 * 86_400_000;

/** The counts of a process while Redis does not answer. */
export class BoundedMemory extends RateLimiterMemory {
    readonly #written = createCache<string, true>(MAX_RECORDS, (key) => void this.delete(key));

    override penalty(key: string, points?: number, options?: object): Promise<RateLimiterRes> {
        this.#written.set(key, true);
        return super.penalty(key, points, options);
    }
}

/** The addresses that have succeeded on a subject. Without Redis, a process knows those that succeeded in itself. */
export function knownAddresses(redis: Redis) {
    const here = createCache<string, true>(MAX_RECORDS);
    return {
        async add(subject: string, address: string): Promise<void> {
            here.set(`${subject} ${address}`, true);
            const key = `guard:${subject}:known`;
            const now = Date.now();
            const writes = redis
                .multi()
                .zadd(key, now, address)
                .zremrangebyscore(key, '-inf', now - REMEMBERED_MS);
            writes.zremrangebyrank(key, 0, -MAX_KNOWN - 1).pexpire(key, REMEMBERED_MS);
            await writes.exec().catch(() => {}); // the connection logs why
        },
        async has(subject: string, address: string): Promise<boolean> {
            if (here.has(`${subject} ${address}`)) return true;
            const last = await redis.zscore(`guard:${subject}:known`, address).catch(() => null);
            return Number(last) > Date.now() - REMEMBERED_MS;
        },
        /** All addresses of a subject. */
        of: (subject: string): Promise<string[]> => redis.zrange(`guard:${subject}:known`, '0', '-1'),
    };
}
