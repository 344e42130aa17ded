import { type Coalescer, coalesce } from '../platform/batch.ts';
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Redis, shardTag } from '../platform/redis.ts';
import type { Traced } from '../platform/tracing.ts';
import { decisionOf, limitScript, type Question, STATES, type State } from './limit-script.ts';
import { localWindows } from './local-windows.ts';

/** After a failure, Redis is not asked for this long, in milliseconds. */
const PAUSE_MS = 500;
/** A call that is counted against the limit of an address. */
const NO_TIER = 'none';

/** What the limiter needs to know about one call. */
export interface Claim {
    /** Redis key of the bucket that the call counts in. */
    bucket: string;
    /** Redis key of the liveness mark; absent if nothing can be revoked. */
    mark?: string;
    tag: string;
    /** Redis key of the set of the account's buckets that wait for the roll-up; absent if the call is not recorded. */
    unfolded?: string;
    /** Calls per window. */
    limit: number;
    /** The tier that the limit belongs to; absent for the limit of an address. */
    tier?: string;
}

export interface Decision {
    /** `unreachable`: Redis did not decide. Ask the owner whether the caller is active, then call `takeLocally`. */
    state: State | 'unreachable';
    limit: number;
    remaining: number;
    /** Unix time in whole seconds. */
    reset: number;
    /** Whole seconds until the reset, at least 1. */
    wait: number;
}

export interface Limiter {
    /**
     * Counts the call if the caller is active and within the limit. `asked_at` (`performance.now()`): the owner was
     * asked at this time and has confirmed the caller. AppError `unavailable` when too many calls wait.
     */
    take(claim: Claim, asked_at?: number, traced?: Traced): Promise<Decision>;
    /** Counts a presentation that the caller has verified. The count is lost if Redis does not answer. */
    countVerified(claim: Omit<Claim, 'mark' | 'limit'>): Promise<void>;
    /** Like `take`, but in this process alone, while Redis is unreachable. */
    takeLocally(claim: Claim): Decision;
    /** The hash tag of an account's or an address's shard. */
    tag(account: string): string;
}

/**
 * The rate limiter: a fixed window for each bucket, which its first call opens. One atomic script in Redis decides all
 * calls that have gathered, with one script call per shard.
 */
export function limiter(options: {
    redis: Redis;
    shards: number;
    window_ms: number;
    log: Log;
    metrics: Metrics;
    /** Milliseconds since 1970, for the windows that are kept in this process. */
    clock?: () => number;
}): Limiter {
    const { redis, shards, window_ms, log, metrics, clock = Date.now } = options;
    const queue = queues(limitScript(redis, window_ms));
    const local = localWindows(window_ms);
    const decisions = metrics.counter({
        name: 'rate_limit_decisions_total',
        help: 'Decisions of the rate limiter, by outcome and tier. unreachable: Redis did not answer, so this process decided alone.',
        labels: ['state', 'tier'],
    });
    for (const state of [...STATES, 'unreachable']) decisions.inc({ state, tier: NO_TIER }, 0);
    let paused_until = 0;

    async function askRedis(question: Question, traced: Traced | undefined): Promise<Decision | undefined> {
        if (performance.now() < paused_until) return undefined;
        try {
            return await queue(question.tag)(question, traced);
        } catch (error) {
            if (error instanceof AppError) throw error; // too many calls wait
            paused_until = performance.now() + PAUSE_MS;
            log.warn({ err: error }, 'rate limiter: Redis does not answer, this process decides alone');
            return undefined;
        }
    }

    return {
        async take(claim, asked_at, traced) {
            const decision = (await askRedis({ ...claim, asked_at }, traced)) ?? unreachable(claim);
            decisions.inc({ state: decision.state, tier: claim.tier ?? NO_TIER });
            return decision;
        },
        async countVerified(claim) {
            try {
                await queue(claim.tag)({ ...claim, limit: 0, verified: true });
            } catch (error) {
                log.warn({ err: error }, 'a verified presentation was not counted');
            }
        },
        takeLocally(claim) {
            const now = clock();
            const { admitted, remaining, end } = local.take(claim.bucket, claim.limit, now);
            return decisionOf(admitted ? 'admitted' : 'limited', { limit: claim.limit, remaining, end, now });
        },
        tag: (account) => shardTag(account, shards),
    };
}

/** The queue of each shard. Its calls wait for each other, but not for those of other shards. */
function queues(decide: (tag: string, questions: Question[]) => Promise<Decision[]>) {
    const by_tag = new Map<string, Coalescer<Question, Decision>>();
    return (tag: string): Coalescer<Question, Decision> => {
        const existing = by_tag.get(tag);
        if (existing) return existing;
        const created = coalesce<Question, Decision>({
            name: 'limiter',
            system: 'redis',
            max_batch: 256,
            max_in_flight: 1,
            max_waiting: 16_384,
            run: (questions) => decide(tag, questions),
        });
        by_tag.set(tag, created);
        return created;
    };
}

function unreachable({ limit }: Claim): Decision {
    return { state: 'unreachable', limit, remaining: 0, reset: 0, wait: 0 };
}

/** The refusal of a call over its limit (decision A14). */
export function limitExceeded({ limit, wait }: Decision): AppError {
    const text = `Limit of ${limit} requests per minute exceeded. Try again in ${wait} seconds.`;
    return new AppError('rate_limited', text, { retry_after: wait });
}
