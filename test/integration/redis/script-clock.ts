import type { Redis } from '../../../platform/redis/redis.ts';

/**
 * Wraps Redis so that scripts read the time from `clock` (milliseconds since 1970). Keys still expire by Redis' own
 * time.
 */
export function underClock(redis: Redis, clock: () => number): Redis {
    const now = (): string => {
        const time = clock();
        return JSON.stringify([String(Math.floor(time / 1_000)), String((time % 1_000) * 1_000)]);
    };
    const replaced = {
        // redisScript sends EVALSHA first. This error makes it send the text of the script with EVAL.
        evalsha: async () => Promise.reject(new Error('NOSCRIPT')),
        eval: (text: string, keys: number, ...args: Array<string | number | Buffer>) =>
            redis.eval(text.replaceAll("redis.call('TIME')", 'cjson.decode(ARGV[#ARGV])'), keys, ...args, now()),
    };
    return new Proxy(redis, {
        get(target, name) {
            if (name === 'eval' || name === 'evalsha') return replaced[name];
            const value: unknown = Reflect.get(target, name);
            return typeof value === 'function' ? value.bind(target) : value;
        },
    });
}
