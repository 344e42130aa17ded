import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { createCache } from '../cache.ts';
import { DAY_MS } from '../days.ts';
import type { Redis } from '../redis/redis.ts';

/** Maximum number of counts, and of successes, in a process's memory. Beyond it: the oldest half is dropped. */
const MAX_RECORDS = 100_000;
/** Maximum number of remembered addresses of one subject. Beyond it: the one that was added first is forgotten. */
const MAX_ADDRESSES = 1_000;
/** How long an address that has succeeded is remembered, in milliseconds. */
const REMEMBERED_MS = 7_776_000_000; // 90 days

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
    const stored = addressRecord(redis, 'known', REMEMBERED_MS);
    return {
        async add(subject: string, address: string): Promise<void> {
            here.set(`${subject} ${address}`, true);
            await stored.add(subject, address);
        },
        async has(subject: string, address: string): Promise<boolean> {
            return here.has(`${subject} ${address}`) || stored.has(subject, address);
        },
        of: stored.of,
    };
}

/** The addresses that have failed on a subject in the last day. */
export const triedAddresses = (redis: Redis) => addressRecord(redis, 'tried', DAY_MS);

/** Addresses of subjects in Redis, which forgets each of them after `keptMs`. */
function addressRecord(redis: Redis, name: string, keptMs: number) {
    const keyOf = (subject: string) => `guard:${subject}:${name}`;
    return {
        async add(subject: string, address: string): Promise<void> {
            const key = keyOf(subject);
            const now = Date.now();
            const writes = redis
                .multi()
                .zadd(key, now, address)
                .zremrangebyscore(key, '-inf', now - keptMs);
            writes.zremrangebyrank(key, 0, -MAX_ADDRESSES - 1).pexpire(key, keptMs);
            await writes.exec().catch(() => {}); // the connection logs why
        },
        async has(subject: string, address: string): Promise<boolean> {
            const last = await redis.zscore(keyOf(subject), address).catch(() => null);
            return Number(last) > Date.now() - keptMs;
        },
        /** All addresses of a subject. */
        of: (subject: string): Promise<string[]> => redis.zrange(keyOf(subject), '0', '-1'),
    };
}
