import { createCache } from '../platform/cache.ts';
import { type CallContext, detached } from '../platform/context.ts';
import type { Log } from '../platform/log.ts';
import type { Bearer, Principal, Standing } from './auth.ts';
import type { Decision, Limiter } from './limit.ts';

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

interface Remembered extends Standing {
    /** When the owner was asked. */
    asked_at: number;
    /** Redis does not know the owner's confirmation yet. */
    unmarked: boolean;
    renewing: boolean;
}

/** Counts a call by a key or session in its bucket. Undefined if it is revoked or expired. */
export type TakeLive = (
    bearer: Bearer,
    context: CallContext,
) => Promise<{ decision: Decision; principal: Principal } | undefined>;

/** Decides which keys and sessions are active, from what their owners said and what the limiter has learnt since. */
export function liveBearers({ limiter, log }: { limiter: Limiter; log: Log }): TakeLive {
    const remembered = createCache<string, Remembered>(REMEMBERED);

    async function ask(bearer: Bearer, context: CallContext): Promise<Remembered | undefined> {
        const asked_at = performance.now();
        const standing = await bearer.ask({ ...context, trusted: true });
        if (!standing) {
            remembered.delete(bearer.id);
            return undefined;
        }
        const entry = { ...standing, asked_at, unmarked: true, renewing: false };
        remembered.set(bearer.id, entry);
        return entry;
    }

    function recent({ id }: Bearer): Remembered | undefined {
        const entry = remembered.get(id);
        return entry && performance.now() - entry.asked_at < FORGET_AFTER_MS ? entry : undefined;
    }

    function renewInBackground(entry: Remembered, bearer: Bearer, context: CallContext): void {
        if (entry.renewing || performance.now() - entry.asked_at < RENEW_AFTER_MS) return;
        entry.renewing = true;
        ask(bearer, detached(context, RENEWAL_TIMEOUT_MS)).catch((error: unknown) => {
            entry.renewing = false;
            log.warn({ err: error }, 'could not refresh a cached authentication state');
        });
    }

    async function decide(entry: Remembered, context: CallContext): Promise<Decision> {
        const asked_at = entry.unmarked ? entry.asked_at : undefined;
        entry.unmarked = false;
        return limiter.take(entry.claim, asked_at, context);
    }

    return async (bearer, context) => {
        const known = recent(bearer);
        let entry = known ?? (await ask(bearer, context));
        if (!entry) return undefined;
        let decision = await decide(entry, context);
        if (decision.state === 'unconfirmed' || (decision.state === 'unreachable' && known)) {
            entry = await ask(bearer, context);
            if (!entry) return undefined;
            if (decision.state === 'unconfirmed') decision = await decide(entry, context);
        }
        if (decision.state === 'refused') {
            remembered.delete(bearer.id);
            return undefined;
        }
        // Redis is unreachable, or keeps losing its data; but the owner has been asked for this very call.
        if (decision.state === 'unreachable' || decision.state === 'unconfirmed') {
            decision = limiter.takeLocally(entry.claim);
        }
        renewInBackground(entry, bearer, context);
        return { decision, principal: entry.principal };
    };
}
