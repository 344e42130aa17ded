import { setTimeout as delay } from 'node:timers/promises';
import { requireTime } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Redis } from '../redis/redis.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';
import { localSteps } from './guard-memory.ts';
import { type GuardAnswer, type GuardTarget, POLICY, type Step, sharedSteps } from './guard-steps.ts';
import { QUEUE, turns } from './guard-turns.ts';

/** How often an attempt checks whether those of other processes have a result. */
const UNSETTLED_POLL_MS = 25;

/** After a failure, Redis is not asked for this long, in milliseconds. */
const PAUSE_MS = 500;

export type { GuardTarget } from './guard-steps.ts';

export interface Guard {
    /**
     * Runs `verify`, which resolves to undefined for a wrong password. If too many attempts have failed recently, it
     * throws AppError `rate_limited` with the wait instead, whatever the password. An attempt whose `verify` throws is
     * not counted. Concurrent attempts give no more guesses than sequential ones, and concurrent correct passwords are
     * all served.
     */
    attempt<Result>(target: GuardTarget, verify: () => Promise<Result | undefined>): Promise<Result | undefined>;
}

/** Where an attempt is counted. */
type Book = 'shared' | 'local';

/** Counts the attempts that began, over all guards of the process: two services of a process have one guard each. */
const begun = { shared: 0, local: 0 };

export function exposeGuard(metrics: Metrics): void {
    metrics.collect(
        {
            type: 'counter',
            name: 'password_attempts_total',
            help: 'Password attempts that the guard allowed, by where they count: in all processes (shared) or, while Redis does not answer, only in this one (local).',
            labels: ['book'],
        },
        () => Object.entries(begun).map(([book, value]) => ({ labels: { book }, value })),
    );
}

/**
 * Guards passwords against guessing. The rule holds across all processes and, while Redis is unreachable, in each
 * process alone.
 */
export function guard({ redis, shards, log }: { redis: Redis; shards: number; log: Log }): Guard {
    const shared = sharedSteps(redis, shards);
    const local = localSteps(() => performance.now());
    const takeTurn = turns(POLICY.free);
    let paused_until = 0;

    /** Undefined if Redis does not answer. */
    async function beginShared(target: GuardTarget): Promise<GuardAnswer | undefined> {
        if (performance.now() < paused_until) return undefined;
        try {
            return await shared(target, 'begin');
        } catch (error) {
            paused_until = performance.now() + PAUSE_MS;
            log.warn({ err: error }, 'password guard: Redis does not answer, this process decides alone');
            return undefined;
        }
    }

    /** Where the attempt is counted. Throws if it is refused. */
    async function begin(target: GuardTarget): Promise<Book> {
        for (;;) {
            requireTime(target);
            const answer = await beginShared(target);
            const [state, wait_ms] = answer ?? local.run(target, 'begin');
            if (state === 'begun') {
                const book: Book = answer ? 'shared' : 'local';
                begun[book]++;
                return book;
            }
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
            log.warn({ err: error }, 'password guard: Redis does not answer, a result was not counted');
        });
    }

    return {
        attempt(target, verify) {
            const span = startSpan('client', QUEUE, target);
            span.attribute('db.system.name', 'redis');
            return takeTurn(`${target.subject} ${target.address}`, target, async () => {
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

/** Like every refusal for too many requests: the limit, then the wait. */
function tooManyAttempts(wait_ms: number): AppError {
    const retry_after = Math.max(1, Math.ceil(wait_ms / 1_000));
    const text = `Limit of ${POLICY.free} requests per minute exceeded by wrong passwords. Try again in ${retry_after} seconds.`;
    return new AppError('rate_limited', text, { retry_after });
}
