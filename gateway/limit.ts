import { readFileSync } from 'node:fs';
import { type Coalescer, coalesce } from '../platform/batch.ts';
import { AppError } from '../platform/errors.ts';
import { eraKey, unfoldedAccounts } from '../platform/limit-record.ts';
import type { Log } from '../platform/log.ts';
import { MARK_MS } from '../platform/marks.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Redis, redisScript, shardTag } from '../platform/redis.ts';
import { localWindows } from './local-windows.ts';

const SCRIPT = readFileSync(new URL('limit.lua', import.meta.url), 'utf8');
/** After Redis has failed to answer it is left alone for so long, in milliseconds. */
const PAUSE_MS = 500;
/** An owner's word may set a live mark only this soon after it was asked, in milliseconds: well within a refused mark's life. */
const WORD_VALID_MS = 15_000;
/** What is counted against the limit of an address. */
const NO_TIER = 'none';
const STATES = ['admitted', 'limited', 'refused', 'unconfirmed'] as const;

/** What one call is decided by. */
export interface Claim {
    /** Redis key of the bucket that the call counts in. */
    bucket: string;
    /** Redis key of the liveness mark; absent where nothing can be revoked. */
    mark?: string;
    tag: string;
    /** Redis key of the set of its account's buckets that are to be folded; absent where nothing is kept of the calls. */
    unfolded?: string;
    /** Calls per window. */
    limit: number;
    /** Whose limit it is; absent where it is that of an address. */
    tier?: string;
}

export interface Decision {
    /** `unreachable`: Redis did not decide; ask the owner whether the caller is alive, then `takeLocally`. */
    state: (typeof STATES)[number] | 'unreachable';
    limit: number;
    remaining: number;
    /** Unix time in whole seconds. */
    reset: number;
    /** Whole seconds until then, at least 1. */
    wait: number;
}

export interface Limiter {
    /**
     * Counts the call, if it is alive and within the limit. `asked_at` (`performance.now()`): its owner, asked then, has said
     * that it is alive. AppError `unavailable` when too many calls wait.
     */
    take(claim: Claim, asked_at?: number): Promise<Decision>;
    /** Counts a presentation that the caller has verified. Lost where Redis does not answer. */
    countVerified(claim: Omit<Claim, 'mark' | 'limit'>): Promise<void>;
    /** As `take`, in this process alone, for as long as Redis is away. */
    takeLocally(claim: Claim): Decision;
    /** The tag of an account's (or an address') shard. */
    tag(account: string): string;
}

interface Question extends Claim {
    asked_at?: number | undefined;
    /** It is no call, but a presentation that one has verified. */
    verified?: true;
}

/** One era of Redis' memory (limit.lua), and since when, by `performance.now()`, it is known here. */
interface Era {
    name: string;
    since: number;
}

/**
 * The rate limiter: a fixed window for each bucket, opened by its first call, decided by one atomic script in Redis for all
 * calls that have gathered (one script call per shard).
 */
export function limiter(options: {
    redis: Redis;
    shards: number;
    window_ms: number;
    log: Log;
    metrics: Metrics;
}): Limiter {
    const { redis, shards, window_ms, log, metrics } = options;
    const run = redisScript(redis, SCRIPT);
    const local = localWindows(window_ms);
    const decisions = metrics.counter({
        name: 'rate_limit_decisions_total',
        help: 'Decisions of the limiter, by outcome and tier; unreachable: Redis was away, so this process decided alone.',
        labels: ['state', 'tier'],
    });
    for (const state of [...STATES, 'unreachable']) decisions.inc({ state, tier: NO_TIER }, 0);
    const by_tag = new Map<string, Coalescer<Question, Decision>>();
    const eras = new Map<string, Era>();
    redis.on('close', () => eras.clear()); // what answers next may be another Redis, or the same after a crash
    let paused_until = 0;

    async function decide(tag: string, questions: Question[]): Promise<Decision[]> {
        const era = eras.get(tag);
        const keys = questions.flatMap(({ bucket, mark, unfolded }) => [bucket, mark ?? bucket, unfolded ?? bucket]);
        const args = questions.flatMap((question) => [question.limit, modeOf(question, era)]);
        const answer = (await run(
            [...keys, unfoldedAccounts(tag), eraKey(tag)],
            [window_ms, MARK_MS, era?.name ?? '', ...args],
        )) as [...number[], string]; // 3 numbers for each question, then the time and the era
        const name = answer.at(-1) as string;
        if (name !== era?.name) eras.set(tag, { name, since: performance.now() });
        const now = answer.at(-2) as number;
        return questions.map(({ limit }, index) => {
            const [state, remaining, end] = answer.slice(3 * index, 3 * index + 3) as [number, number, number];
            return decisionOf(STATES[state] ?? 'unconfirmed', { limit, remaining, end, now });
        });
    }

    function queue(tag: string): Coalescer<Question, Decision> {
        const existing = by_tag.get(tag);
        if (existing) return existing;
        const created = coalesce<Question, Decision>({
            name: 'limiter',
            max_batch: 256,
            max_in_flight: 1,
            max_waiting: 16_384,
            run: (questions) => decide(tag, questions),
        });
        by_tag.set(tag, created);
        return created;
    }

    return {
        async take(claim, asked_at) {
            let decision: Decision = { state: 'unreachable', limit: claim.limit, remaining: 0, reset: 0, wait: 0 };
            if (performance.now() >= paused_until) {
                try {
                    decision = await queue(claim.tag)({ ...claim, asked_at });
                } catch (error) {
                    if (error instanceof AppError) throw error; // overload
                    paused_until = performance.now() + PAUSE_MS;
                    log.warn({ err: error }, 'the limiter goes on without redis');
                }
            }
            decisions.inc({ state: decision.state, tier: claim.tier ?? NO_TIER });
            return decision;
        },
        async countVerified(claim) {
            try {
                await queue(claim.tag)({ ...claim, limit: 0, verified: true });
            } catch (error) {
                log.warn({ err: error }, 'a verified presentation is not counted');
            }
        },
        takeLocally(claim) {
            const now = Date.now();
            const { admitted, remaining, end } = local.take(claim.bucket, claim.limit, now);
            return decisionOf(admitted ? 'admitted' : 'limited', { limit: claim.limit, remaining, end, now });
        },
        tag: (account) => shardTag(account, shards),
    };
}

function modeOf({ verified, asked_at }: Question, era: Era | undefined): 'verified' | 'confirmed' | '' {
    if (verified) return 'verified';
    return wordCounts(asked_at, era) ? 'confirmed' : '';
}

/** Whether an owner's word can still be relied on: nothing that was said since can have been lost. */
function wordCounts(asked_at: number | undefined, era: Era | undefined): boolean {
    if (asked_at === undefined || era === undefined) return false;
    return asked_at >= era.since && performance.now() - asked_at < WORD_VALID_MS;
}

function decisionOf(
    state: Decision['state'],
    { limit, remaining, end, now }: { limit: number; remaining: number; end: number; now: number },
): Decision {
    const wait = Math.max(1, Math.ceil((end - now) / 1_000));
    return { state, limit, remaining, reset: Math.ceil(end / 1_000), wait };
}

/** The refusal of a call over its limit (decision A14). */
export function limitExceeded({ limit, wait }: Decision): AppError {
    const text = `Limit of ${limit} requests per minute exceeded. Try again in ${wait} seconds.`;
    return new AppError('rate_limited', text, { retry_after: wait });
}
