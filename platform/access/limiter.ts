import { type Coalescer, coalesce } from '../batch.ts';
import type { CallLifetime } from '../context.ts';
import { AppError } from '../errors.ts';
import { type Redis, shardTag } from '../redis/redis.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Decision, decisionOf, type LimitRequest, STATES } from './limit-decision.ts';
import { type Confirmation, limitScript, type ScriptCall } from './limit-script.ts';
import { localWindows } from './local-windows.ts';

/** After a failure, Redis is not asked for this long, in milliseconds. */
const PAUSE_MS = 500;
/**
 * Decisions that one call of the script makes, calls of the script at a time, and decisions that wait, for each shard.
 * Beyond it: `unavailable`; calls without a credential count in a window of this process instead.
 */
const SCRIPTS = { maxBatch: 256, maxInFlight: 1, maxWaiting: 16_384 };
/** The label of calls without a tier: they count against the limit of an address. */
const NO_TIER = 'none';

export interface Limiter {
    /**
     * Counts the call if the caller is active and within the limit. `confirmation`: the owning service has confirmed the
     * caller. Throws AppError `unavailable` if too many calls wait, `deadline` or `cancelled` if the call ends while it
     * waits.
     */
    take(limitRequest: LimitRequest, confirmation?: Confirmation, lifetime?: CallLifetime): Promise<Decision>;
    /** Like `take`, but in this process alone, while Redis is unreachable. */
    takeLocally(limitRequest: LimitRequest): Decision;
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
    windowMs: number;
    log: Log;
    metrics: Metrics;
    /** Milliseconds since 1970, for the windows that are kept in this process. */
    clock?: () => number;
}): Limiter {
    const { redis, shards, windowMs, log, metrics, clock = Date.now } = options;
    const queue = queues(limitScript(redis, windowMs));
    const local = localWindows(windowMs);
    const decisions = metrics.counter({
        name: 'rate_limit_decisions_total',
        help: 'Decisions of the rate limiter, by state and tier. The call of an unconfirmed caller is decided again. A batch is decided twice: as one call, and for its further items. unreachable: Redis did not answer, so this process decided alone.',
        labels: ['state', 'tier'],
    });
    for (const state of [...STATES, 'unreachable']) decisions.inc({ state, tier: NO_TIER }, 0);
    let pausedUntil = 0;

    async function askRedis(call: ScriptCall, lifetime: CallLifetime | undefined): Promise<Decision | undefined> {
        if (performance.now() < pausedUntil) return undefined;
        try {
            return await queue(call.tag)(call, lifetime);
        } catch (error) {
            if (error instanceof AppError) throw error; // too many calls wait, or this one has ended
            pausedUntil = performance.now() + PAUSE_MS;
            log.warn({ err: error }, 'rate limiter: Redis does not answer, this process decides alone');
            return undefined;
        }
    }

    return {
        async take(limitRequest, confirmation, lifetime) {
            const decision =
                (await askRedis({ ...limitRequest, confirmation }, lifetime)) ?? unreachable(limitRequest, windowMs);
            const isCall = (limitRequest.weight ?? 1) > 0;
            if (isCall) decisions.inc({ state: decision.state, tier: limitRequest.tier ?? NO_TIER });
            return decision;
        },
        takeLocally(limitRequest) {
            const now = clock();
            const { bucket, limit, weight } = limitRequest;
            const { admitted, remaining, end } = local.take(bucket, limit, now, weight);
            return decisionOf(admitted ? 'admitted' : 'limited', { limit, remaining, windowMs, end, now });
        },
        tag: (account) => shardTag(account, shards),
    };
}

/** The queue of each shard. Its calls wait for each other, but not for those of other shards. */
function queues(decide: (tag: string, calls: ScriptCall[]) => Promise<Decision[]>) {
    const byTag = new Map<string, Coalescer<ScriptCall, Decision>>();
    return (tag: string): Coalescer<ScriptCall, Decision> => {
        const existing = byTag.get(tag);
        if (existing) return existing;
        const created = coalesce<ScriptCall, Decision>({
            name: 'limiter',
            system: 'redis',
            ...SCRIPTS,
            run: (calls) => decide(tag, calls),
        });
        byTag.set(tag, created);
        return created;
    };
}

function unreachable({ limit }: LimitRequest, windowMs: number): Decision {
    return { state: 'unreachable', limit, remaining: 0, window: windowMs / 1_000, reset: 0, wait: 0 };
}
