import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { overloaded } from './batch.ts';
import { type Patience, requireTime } from './context.ts';
import { AppError } from './errors.ts';
import type { Log } from './log.ts';
import { queueTally } from './queues.ts';
import { type Redis, shardTag } from './redis.ts';
import { inSpan, startSpan } from './tracing.ts';

const HOUR_MS = 3_600_000;

/** In the order in which guard.lua reads it; times in milliseconds. */
const POLICY = {
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
} as const;

/** Attempts on one subject from one address that wait for their turn in this process; more are refused. */
const MAX_WAITING = 1_000;
/** What these turns are called in the metrics and in traces. */
const QUEUE = 'password_attempts';
/** How often an attempt looks again whether those of other processes have come to a verdict. */
const UNSETTLED_POLL_MS = 25;

/** Whose password is tried, and from where. The subject goes into Redis keys: it names nobody in clear text. */
export interface GuardTarget extends Patience {
    subject: string;
    /** The caller's network address; callers without one share a record. */
    address: string | undefined;
}

export interface Guard {
    /**
     * Runs `verify`, which resolves to undefined for a wrong password, unless too many attempts have failed lately: then
     * AppError `rate_limited` with the wait, whatever the password. Where `verify` throws, nothing is counted. Attempts at
     * once are no more guesses than attempts in a row, and right passwords at once are all served.
     */
    attempt<Result>(target: GuardTarget, verify: () => Promise<Result | undefined>): Promise<Result | undefined>;
}

type Step = 'begin' | 'failed' | 'succeeded' | 'void';
type Answer = ['begun' | 'unsettled' | 'refused' | Step, wait_ms: number];
type RunStep = (target: GuardTarget, step: Step) => Promise<Answer>;

/** The guard of passwords against guessing. Without Redis it lets through what fits its turns, and says so in the log. */
export function guard({ redis, shards, log }: { redis: Redis; shards: number; log: Log }): Guard {
    const run = steps(redis, shards);
    const takeTurn = turns(POLICY.free);

    /** Whether the attempt is counted; throws when it is refused. */
    async function begin(target: GuardTarget): Promise<boolean> {
        for (;;) {
            requireTime(target);
            const answer = await run(target, 'begin').catch((error: unknown) => {
                log.warn({ err: error }, 'password guard: no answer from Redis, let through');
                return undefined;
            });
            if (!answer) return false;
            const [state, wait_ms] = answer;
            if (state === 'begun') return true;
            if (state === 'refused') throw tooManyAttempts(wait_ms);
            await delay(UNSETTLED_POLL_MS);
        }
    }

    async function settle(target: GuardTarget, step: Step): Promise<void> {
        const span = startSpan('client', 'password_verdict', target);
        span.attribute('db.system.name', 'redis');
        await inSpan(span, () => run(target, step)).catch((error: unknown) => {
            log.warn({ err: error }, 'password guard: no answer from Redis, a verdict is not counted');
        });
    }

    return {
        attempt(target, verify) {
            const span = startSpan('client', QUEUE, target);
            span.attribute('db.system.name', 'redis');
            return takeTurn(`${target.subject} ${target.address}`, async () => {
                span.sent(1);
                const counted = await inSpan(span, () => begin(target));
                let verdict: Step = 'void';
                try {
                    const result = await verify();
                    verdict = result === undefined ? 'failed' : 'succeeded';
                    return result;
                } finally {
                    if (counted) await settle(target, verdict);
                }
            });
        },
    };
}

/** In the words of every refusal for too many requests: the limit, then the wait. */
function tooManyAttempts(wait_ms: number): AppError {
    const retry_after = Math.max(1, Math.ceil(wait_ms / 1_000));
    const text = `Limit of ${POLICY.free} requests per minute exceeded by wrong passwords. Try again in ${retry_after} seconds.`;
    return new AppError('rate_limited', text, { retry_after });
}

function steps(redis: Redis, shards: number): RunStep {
    redis.defineCommand('passwordGuard', {
        numberOfKeys: 3,
        lua: readFileSync(join(import.meta.dirname, 'guard.lua'), 'utf8'),
    });
    // The command that the line above defines; its answers are those of guard.lua.
    const { passwordGuard } = redis as Redis & { passwordGuard(...args: Array<string | number>): Promise<Answer> };
    return ({ subject, address = '-' }, step) => {
        const total = `guard:${shardTag(subject, shards)}:${subject}`;
        const keys = [`${total}:from:${address}`, `${total}:total`, `${total}:known:${address}`];
        return passwordGuard.call(redis, ...keys, step, ...Object.values(POLICY));
    };
}

/** At most `limit` runs with the same key at once, in the order in which they were asked for. */
function turns(limit: number): <Result>(key: string, run: () => Promise<Result>) => Promise<Result> {
    const queues = new Map<string, { running: number; waiting: Array<() => void> }>();
    const tally = queueTally(QUEUE);
    return async (key, run) => {
        const queue = queues.get(key) ?? { running: 0, waiting: [] };
        queues.set(key, queue);
        if (queue.running < limit) {
            queue.running++;
        } else if (queue.waiting.length < MAX_WAITING) {
            tally.items++;
            tally.waiting++;
            await new Promise<void>((resolve) => queue.waiting.push(resolve));
            tally.waiting--;
            tally.batches++;
        } else {
            throw overloaded(QUEUE);
        }
        try {
            return await run();
        } finally {
            const next = queue.waiting.shift();
            if (next)
                next(); // it takes the place over
            else if (--queue.running === 0) queues.delete(key);
        }
    };
}
