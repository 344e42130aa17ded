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

/** Pause before an unsettled attempt tries to begin again, in milliseconds. */
const UNSETTLED_POLL_MS = 25;

/** How long a guard decides without Redis after Redis has failed, in milliseconds. */
const PAUSE_MS = 500;

export type { GuardTarget } from './guard-steps.ts';

export interface Guard {
    /**
     * Runs `verify`, which resolves to undefined for a wrong password. If too many attempts have failed recently, it
     * throws AppError `rate_limited` with the wait and does not run `verify`. An attempt whose `verify` throws is not
     * counted. Concurrent attempts give no more guesses than sequential ones, but concurrent attempts with the correct
     * password all succeed.
     */
    attempt<Result>(target: GuardTarget, verify: () => Promise<Result | undefined>): Promise<Result | undefined>;
}

/** Where an attempt is counted: in Redis, for all processes, or in this process's memory. */
type Book = 'shared' | 'local';

/** Attempts that began, over all guards of the process: it may run two services, each with its own guard. */
const begun = { shared: 0, local: 0 };

export function exposeGuard(metrics: Metrics): void {
    metrics.collect(
        {
            type: 'counter',
            name: 'password_attempts_total',
            help: 'Password attempts that the guard allowed, by where they are counted: in Redis for all processes (shared) or, while Redis does not answer, in this process (local).',
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
    const steps = attemptSteps({ redis, shards, log });
    const takeTurn = turns(POLICY.free);
    return {
        attempt(target, verify) {
            const span = startSpan('client', QUEUE, target);
            span.attribute('db.system.name', 'redis');
            return takeTurn(`${target.subject} ${target.address}`, target, async () => {
                span.sent(1);
                const book = await inSpan(span, () => steps.begin(target));
                let verdict: Step = 'void';
                try {
                    const result = await verify();
                    verdict = result === undefined ? 'failed' : 'succeeded';
                    return result;
                } finally {
                    await steps.settle(book, target, verdict);
                }
            });
        },
    };
}

/** The steps of an attempt: in Redis or, while Redis does not answer, in this process. */
function attemptSteps({ redis, shards, log }: { redis: Redis; shards: number; log: Log }) {
    const shared = sharedSteps(redis, shards);
    const local = localSteps(() => performance.now());
    let pausedUntil = 0;

    /** Returns undefined if Redis does not answer. */
    async function beginShared(target: GuardTarget): Promise<GuardAnswer | undefined> {
        if (performance.now() < pausedUntil) return undefined;
        try {
            return await shared(target, 'begin');
        } catch (error) {
            pausedUntil = performance.now() + PAUSE_MS;
            log.warn({ err: error }, 'password guard: Redis does not answer, this process decides alone');
            return undefined;
        }
    }

    return {
        /** Begins the attempt and returns where it is counted. Throws if it is refused. */
        async begin(target: GuardTarget): Promise<Book> {
            for (;;) {
                requireTime(target);
                const answer = await beginShared(target);
                const [state, waitMs] = answer ?? local.run(target, 'begin');
                if (state === 'begun') {
                    const book: Book = answer ? 'shared' : 'local';
                    begun[book]++;
                    return book;
                }
                if (state === 'refused') throw tooManyAttempts(waitMs);
                await delay(UNSETTLED_POLL_MS);
            }
        },
        async settle(book: Book, target: GuardTarget, step: Step): Promise<void> {
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
        },
    };
}

/** The text has the form of a refusal by the rate limiter: the limit, then the wait (decision A20). */
function tooManyAttempts(waitMs: number): AppError {
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000));
    const text = `Limit of ${POLICY.free} requests per minute exceeded by wrong passwords. Try again in ${retryAfter} seconds.`;
    return new AppError('rate_limited', text, { retry_after: retryAfter });
}
