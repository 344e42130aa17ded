import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { CallerPlaces } from '../bounded-queue.ts';
import { createCache } from '../cache.ts';
import type { CallLifetime } from '../context.ts';
import { DAY_MS } from '../days.ts';
import { AppError } from '../errors.ts';
import { type Redis, shardTag } from '../redis/redis.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';
import { BoundedMemory, knownAddresses, triedAddresses } from './guard-records.ts';
import { tryAgainIn } from './limit-decision.ts';

/** Failures on one subject from one address that cause no wait. Beyond it: 429, whatever the password. */
const FREE = 10;
/** The wait is 1 s after the last free failure. It doubles with each further one, up to this, in milliseconds. */
const LONGEST_WAIT_MS = 900_000;
/** Maximum number of failures on one subject in a day. Beyond it: 429 for addresses that have never succeeded. */
const DAY_LIMIT = 100;
/** Maximum number of Redis keys of a process about unknown subjects. Beyond it: the oldest half is removed. */
const MAX_UNKNOWN = 20_000;
/** Maximum number of attempts on one subject from one address that wait in this process. Beyond it: `unavailable`. */
const MAX_WAITING = 1_000;
/** The queue's name in metrics and traces. */
const QUEUE = 'password_attempts';

export interface GuardTarget extends CallLifetime {
    /** Whose password is tried. It must be a pseudonym, because Redis keys contain it. */
    subject: string;
    /** True if the subject does not exist. Callers cannot tell, but can invent any number of them. */
    unknown?: boolean;
    /** The caller's network address. Callers without one share a count. */
    address: string | undefined;
}

export interface Guard {
    /**
     * Runs `verify`, which resolves to undefined for a wrong password. If too many attempts have failed recently, it
     * throws AppError `rate_limited` with the wait and does not run `verify`. An attempt whose `verify` throws is not
     * counted. Concurrent attempts give no more guesses than sequential ones.
     */
    attempt<Result>(target: GuardTarget, verify: () => Promise<Result | undefined>): Promise<Result | undefined>;
    /** Removes what is recorded about subjects that are gone. Throws AppError `unavailable` if Redis does not answer. */
    forget(subjects: readonly string[]): Promise<void>;
}

/** Guards passwords against guessing, across all processes and, while Redis does not answer, in each one alone. */
export function guard({ redis, shards }: { redis: Redis; shards: number }): Guard {
    const records = { known: knownAddresses(redis), tried: triedAddresses(redis) };
    const begin = attemptCounts(redis, { shards, ...records });
    const turns = new CallerPlaces({ places: 1, name: QUEUE, maxWaiting: MAX_WAITING });
    return {
        /** Attempts from one address take turns, so that right passwords at once do not look like many failures. */
        async attempt(target, verify) {
            const key = `${target.subject} ${target.address}`;
            const span = redisSpan(QUEUE, target);
            const run = async () => {
                span.sent(1);
                const counted = await inSpan(span, () => begin(target));
                const settle = (step: () => Promise<unknown>) => inSpan(redisSpan('password_verdict', target), step);
                const result = await verify().catch(async (error: unknown) => {
                    await settle(counted.undo);
                    throw error;
                });
                if (result !== undefined) await settle(counted.clear);
                return result;
            };
            return turns.run(key, run, target);
        },
        async forget(subjects) {
            const forgetOne = async (subject: string) => {
                const base = `${shardTag(subject, shards)}:${subject}`;
                const addresses = await Promise.all(Object.values(records).map((record) => record.of(base)));
                const counts = addresses.flat().flatMap((address) => Object.values(countNames(base, address)));
                const names = new Set([
                    ...counts,
                    `${base}:total`,
                    ...Object.keys(records).map((name) => `${base}:${name}`),
                ]);
                await redis.del(Array.from(names, (name) => `${PREFIX}:${name}`));
            };
            try {
                await Promise.all(subjects.map(forgetOne));
            } catch (cause) {
                const text = 'Redis does not answer, so it may still have records of wrong passwords. Repeat the call.';
                throw new AppError('unavailable', text, { retry_after: 1, reason: 'redis', cause });
            }
        },
    };
}

/** What the keys of all records begin with. */
const PREFIX = 'guard';

/** The names of the counts of a subject, whose `base` has its shard. */
function countNames(base: string, address: string) {
    return { tries: `${base}:tries:${address}`, wait: `${base}:wait:${address}`, total: `${base}:total` };
}

/** Returns a function that counts an attempt as a failure before its password is checked, or throws a refusal. */
function attemptCounts(
    redis: Redis,
    {
        shards,
        known,
        tried,
    }: {
        shards: number;
        known: ReturnType<typeof knownAddresses>;
        tried: ReturnType<typeof triedAddresses>;
    },
) {
    const options = { keyPrefix: PREFIX, points: 0, duration: DAY_MS / 1_000 };
    const counts = new RateLimiterRedis({
        storeClient: redis,
        ...options,
        insuranceLimiter: new BoundedMemory(options),
    });
    const unknownKeys = createCache<string, true>(MAX_UNKNOWN, (key) => void counts.delete(key));

    return async ({ subject, address = '-', unknown = false }: GuardTarget) => {
        const base = `${shardTag(subject, shards)}:${subject}`;
        const { tries, wait, total } = countNames(base, address);

        const waiting = await counts.get(wait);
        if (waiting) throw tooManyAttempts(waiting);
        const ofAll = await counts.penalty(total);
        if (unknown) unknownKeys.set(total, true);
        if (ofAll.consumedPoints > DAY_LIMIT && !(await known.has(base, address))) throw tooManyAttempts(ofAll);
        const { consumedPoints: begun } = await counts.penalty(tries);
        if (unknown) unknownKeys.set(tries, true);
        else if (begun === 1) await tried.add(base, address);
        const startsWait = begun >= FREE;
        if (startsWait) {
            const seconds = Math.min(LONGEST_WAIT_MS / 1_000, 2 ** (begun - FREE));
            const started = await counts.penalty(wait, 1, { customDuration: seconds });
            if (started.consumedPoints > 1) throw tooManyAttempts(started); // another process was faster
        }
        return {
            /** For an attempt without a verdict. */
            undo: () => Promise.all([counts.reward(tries), counts.reward(total), startsWait && counts.delete(wait)]),
            /** For the right password. */
            clear: () =>
                Promise.all([
                    counts.delete(tries),
                    counts.delete(wait),
                    counts.reward(total),
                    known.add(base, address),
                ]),
        };
    };
}

function redisSpan(name: string, target: GuardTarget) {
    const span = startSpan('client', name, target);
    span.attribute('db.system.name', 'redis');
    return span;
}

/** The text has the form of a refusal by the rate limiter: the limit, then the wait (decision A20). */
function tooManyAttempts({ msBeforeNext }: RateLimiterRes): AppError {
    const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1_000));
    const text = `Limit of ${FREE} requests per minute exceeded by wrong passwords. ${tryAgainIn(retryAfter)}`;
    return new AppError('rate_limited', text, { retry_after: retryAfter });
}
