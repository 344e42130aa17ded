import { readFileSync } from 'node:fs';
import type { Patience } from './context.ts';
import { type Redis, redisScript, shardTag } from './redis.ts';

const SCRIPT = readFileSync(new URL('guard.lua', import.meta.url), 'utf8');
const HOUR_MS = 3_600_000;
/**
 * Keys in Redis about unknown subjects, over all shards: one for each of them, and one for each address that has tried it.
 * Together they take about 9 MB.
 */
const MAX_UNKNOWN_KEYS = 20_000;

/** The rule against guessing, which guard.lua reads by these names; times in milliseconds. */
export const POLICY = {
    /** Failures of one subject from one address that cost nothing. */
    free: 10,
    /** The wait after the last free failure; it doubles with each further one … */
    first_wait: 1_000,
    /** … up to this. */
    longest_wait: HOUR_MS / 4,
    /** Failures of one subject from all addresses in a day; then only addresses that have succeeded before are served. */
    day_limit: 100,
    day: 24 * HOUR_MS,
    /** How long an address that has succeeded is remembered. */
    remembered: 90 * 24 * HOUR_MS,
    /** Addresses of one subject that are remembered; the one that succeeded longest ago makes room. */
    max_known: 1_000,
} as const;

/** The owner of the password that is tried, and the caller's address. The subject goes into Redis keys: it names nobody in clear text. */
export interface GuardTarget extends Patience {
    subject: string;
    /**
     * There is no such subject. The same rule holds, so that nobody can tell; but callers can make up any number of subjects,
     * so Redis keeps only the ones that were tried last.
     */
    unknown?: boolean;
    /** The caller's network address; callers without one share a record. */
    address: string | undefined;
}

/** `begin` comes before a password is looked at, one of the others after it; `void` where it came to no verdict. */
export type Step = 'begin' | 'failed' | 'succeeded' | 'void';

/**
 * What became of a step. `unsettled`: attempts under way decide whether this one has to wait. `refused`: it must wait so many
 * milliseconds.
 */
export type Answer = ['begun' | 'unsettled' | 'refused' | Step, wait_ms: number];

/** The rule over all processes, by guard.lua. */
export function sharedSteps(redis: Redis, shards: number): (target: GuardTarget, step: Step) => Promise<Answer> {
    const run = redisScript(redis, SCRIPT);
    const policy = JSON.stringify({ ...POLICY, max_unknown: Math.ceil(MAX_UNKNOWN_KEYS / shards) });
    return async ({ subject, unknown = false, address = '-' }, step) => {
        const tag = shardTag(subject, shards);
        const base = `guard:${tag}:${subject}`;
        const keys = [`${base}:from:${address}`, `${base}:total`, `${base}:known`, `guard:${tag}:unknown`];
        return (await run(keys, [step, address, unknown ? 1 : 0, policy])) as Answer; // guard.lua says so
    };
}
