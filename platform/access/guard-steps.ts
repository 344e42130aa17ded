import { readFileSync } from 'node:fs';
import type { CallLifetime } from '../context.ts';
import { type Redis, redisScript, shardTag } from '../redis/redis.ts';

const SCRIPT = readFileSync(new URL('guard.lua', import.meta.url), 'utf8');
const HOUR_MS = 3_600_000;
/**
 * Maximum number of Redis keys about unknown subjects, over all shards: one key for each subject, and one for each
 * address that has tried it. Together they take about 9 MB. Beyond it: the key that was written longest ago is removed,
 * and its count is lost.
 */
const MAX_UNKNOWN_KEYS = 20_000;

/**
 * The rule against password guessing. guard.lua reads these values by name; times are in milliseconds. Beyond it: 429
 * with the wait, whatever the password.
 */
export const POLICY = {
    /** Failures on one subject from one address that cause no wait. */
    free: 10,
    /** The wait after the last free failure. It doubles with each further failure, up to `longest_wait`. */
    first_wait: 1_000,
    longest_wait: HOUR_MS / 4,
    /**
     * Maximum number of failures on one subject from all addresses in a day. After that, only addresses that have
     * succeeded before may try.
     */
    day_limit: 100,
    day: 24 * HOUR_MS,
    /** How long an address that has succeeded is remembered. */
    remembered: 90 * 24 * HOUR_MS,
    /**
     * Maximum number of remembered addresses of one subject. A further one replaces the address whose last success is
     * the oldest.
     */
    max_known: 1_000,
} as const;

/**
 * The subject whose password is tried, and the caller's address. The subject must be a pseudonym, because Redis keys
 * contain it.
 */
export interface GuardTarget extends CallLifetime {
    subject: string;
    /**
     * True if the subject does not exist. The same rule applies, so that callers cannot tell whether it exists. Callers
     * can invent any number of subjects, so Redis keeps only the most recently tried ones.
     */
    unknown?: boolean;
    /** The caller's network address. Callers without one share a record. */
    address: string | undefined;
}

/** `begin` runs before the password check, one of the others after it: `void` if the check gave no result. */
export type Step = 'begin' | 'failed' | 'succeeded' | 'void';

/**
 * The result of a step, and the wait in milliseconds. `unsettled`: attempts in progress decide whether this one must
 * wait. `refused`: the attempt must wait for `wait_ms`.
 */
export type GuardAnswer = ['begun' | 'unsettled' | 'refused' | Step, wait_ms: number];

/** Applies the rule across all processes: guard.lua runs it in Redis. */
export function sharedSteps(redis: Redis, shards: number): (target: GuardTarget, step: Step) => Promise<GuardAnswer> {
    const run = redisScript(redis, SCRIPT);
    const policy = JSON.stringify({ ...POLICY, max_unknown: Math.ceil(MAX_UNKNOWN_KEYS / shards) });
    return async ({ subject, unknown = false, address = '-' }, step) => {
        const tag = shardTag(subject, shards);
        const base = `guard:${tag}:${subject}`;
        const keys = [`${base}:from:${address}`, `${base}:total`, `${base}:known`, `guard:${tag}:unknown`];
        return (await run(keys, [step, address, unknown ? 1 : 0, policy])) as GuardAnswer; // guard.lua returns these
    };
}
