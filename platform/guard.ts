import { setTimeout as delay } from 'node:timers/promises';
import { overloaded } from './batch.ts';
import { requireTime } from './context.ts';
import { AppError } from './errors.ts';
import { localSteps } from './guard-memory.ts';
import { type Answer, type GuardTarget, POLICY, type Step, sharedSteps } from './guard-steps.ts';
import type { Log } from './log.ts';
import { queueTally } from './queues.ts';
import type { Redis } from './redis.ts';
import { inSpan, startSpan } from './tracing.ts';

/** Attempts on one subject from one address that wait for their turn in this process; more are refused. */
const MAX_WAITING = 1_000;
/** What these turns are called in the metrics and in traces. */
const QUEUE = 'password_attempts';
/** How often an attempt looks again whether those of other processes have come to a verdict. */
const UNSETTLED_POLL_MS = 25;

/** After Redis has failed to answer it is left alone for so long, in milliseconds. */
const PAUSE_MS = 500;

export type { GuardTarget } from './guard-steps.ts';

export interface Guard {
    /**
     * Runs `verify`, which resolves to undefined for a wrong password, unless too many attempts have failed lately: then
     * AppError `rate_limited` with the wait, whatever the password. Where `verify` throws, nothing is counted. Attempts at
     * once are no more guesses than attempts in a row, and right passwords at once are all served.
     */
    attempt<Result>(target: GuardTarget, verify: () => Promise<Result | undefined>): Promise<Result | undefined>;
}

/** Where an attempt is counted. */
type Book = 'shared' | 'local';

/**
 * The guard of passwords against guessing. The rule holds over all processes; while Redis is away, in each process alone.
 */
export function guard({ redis, shards, log }: { redis: Redis; shards: number; log: Log }): Guard {
    const shared = sharedSteps(redis, shards);
    const local = localSteps(() => performance.now());
    const takeTurn = turns(POLICY.free);
    let paused_until = 0;

    /** Undefined: Redis does not answer. */
    async function beginShared(target: GuardTarget): Promise<Answer | undefined> {
        if (performance.now() < paused_until) return undefined;
        try {
            return await shared(target, 'begin');
        } catch (error) {
            paused_until = performance.now() + PAUSE_MS;
            log.warn({ err: error }, 'the password guard goes on without redis');
            return undefined;
        }
    }

    /** Where the attempt is counted; throws when it is refused. */
    async function begin(target: GuardTarget): Promise<Book> {
        for (;;) {
            requireTime(target);
            const answer = await beginShared(target);
            const [state, wait_ms] = answer ?? local.run(target, 'begin');
            if (state === 'begun') return answer ? 'shared' : 'local';
            if (state === 'refused') throw tooManyAttempts(wait_ms);
            await delay(UNSETTLED_POLL_MS);
        }
    }

    async function settle(book: Book, target: GuardTarget, step: Step): Promise<void> {
        if (book === 'local') {
            local.run(target, step);
            return;
        }
        if (step === 'succeeded') local.rememberSuccess(target);
        const span = startSpan('client', 'password_verdict', target);
        span.attribute('db.system.name', 'redis');
        await inSpan(span, () => shared(target, step)).catch((error: unknown) => {
            log.warn({ err: error }, 'password guard: no answer from Redis, a verdict is not counted');
        });
    }

    return {
        attempt(target, verify) {
            const span = startSpan('client', QUEUE, target);
            span.attribute('db.system.name', 'redis');
            return takeTurn(`${target.subject} ${target.address}`, async () => {
                span.sent(1);
                const book = await inSpan(span, () => begin(target));
                let verdict: Step = 'void';
                try {
                    const result = await verify();
                    verdict = result === undefined ? 'failed' : 'succeeded';
                    return result;
                } finally {
                    await settle(book, target, verdict);
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
