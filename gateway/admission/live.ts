import { createCache } from '../../platform/cache.ts';
import { type CallContext, detached } from '../../platform/context.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { AuthState, Bearer, Principal } from './auth.ts';
import type { Limiter } from './limit.ts';
import type { Decision } from './limit-decision.ts';

/** Cached states of keys and sessions. None is trusted alone: the limiter checks the liveness mark on every call. */
const REMEMBERED = 100_000;
/** A state that is older than this (ms) and in use is refreshed, before its mark ends. */
const RENEW_AFTER_MS = 40_000;
/**
 * A state that is older than this (ms) is not used. Its mark may still exist, because of calls through another gateway,
 * but its tier may have changed.
 */
const FORGET_AFTER_MS = 60_000;
/** Time limit for a refresh, in milliseconds. */
const RENEWAL_TIMEOUT_MS = 10_000;

interface CachedState extends AuthState {
    /** When the owner was asked. */
    lookedUpAt: number;
    /** Redis does not know the owner's confirmation yet. */
    unmarked: boolean;
    renewing: boolean;
}

/** Counts a call by a key or session in its bucket. Undefined if it is revoked or expired. */
export type CountLiveCall = (
    bearer: Bearer,
    context: CallContext,
) => Promise<{ decision: Decision; principal: Principal } | undefined>;

/** Decides which keys and sessions are active, from what their owners said and what the limiter has learnt since. */
export function liveBearers({ limiter, log }: { limiter: Limiter; log: Log }): CountLiveCall {
    const cached = createCache<string, CachedState>(REMEMBERED);

    async function lookUp(bearer: Bearer, context: CallContext): Promise<CachedState | undefined> {
        const lookedUpAt = performance.now();
        const state = await bearer.lookUp({ ...context, trusted: true });
        if (!state) {
            cached.delete(bearer.id);
            return undefined;
        }
        const entry = { ...state, lookedUpAt, unmarked: true, renewing: false };
        cached.set(bearer.id, entry);
        return entry;
    }

    function recent({ id }: Bearer): CachedState | undefined {
        const entry = cached.get(id);
        return entry && performance.now() - entry.lookedUpAt < FORGET_AFTER_MS ? entry : undefined;
    }

    function renewInBackground(entry: CachedState, bearer: Bearer, context: CallContext): void {
        if (entry.renewing || performance.now() - entry.lookedUpAt < RENEW_AFTER_MS) return;
        entry.renewing = true;
        lookUp(bearer, detached(context, RENEWAL_TIMEOUT_MS)).catch((error: unknown) => {
            entry.renewing = false;
            log.warn({ err: error }, 'could not refresh a cached authentication state');
        });
    }

    async function decide(entry: CachedState, context: CallContext): Promise<Decision> {
        const lookedUpAt = entry.unmarked ? entry.lookedUpAt : undefined;
        entry.unmarked = false;
        return limiter.take(entry.limitRequest, lookedUpAt, context);
    }

    return async (bearer, context) => {
        const known = recent(bearer);
        let entry = known ?? (await lookUp(bearer, context));
        if (!entry) return undefined;
        let decision = await decide(entry, context);
        if (decision.state === 'unconfirmed' || (decision.state === 'unreachable' && known)) {
            entry = await lookUp(bearer, context);
            if (!entry) return undefined;
            if (decision.state === 'unconfirmed') decision = await decide(entry, context);
        }
        if (decision.state === 'refused') {
            cached.delete(bearer.id);
            return undefined;
        }
        // Redis is unreachable, or keeps losing its data; but the owner has been asked for this very call.
        if (decision.state === 'unreachable' || decision.state === 'unconfirmed') {
            decision = limiter.takeLocally(entry.limitRequest);
        }
        renewInBackground(entry, bearer, context);
        return { decision, principal: entry.principal };
    };
}
