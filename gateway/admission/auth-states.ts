import type { Decision, LimitRequest } from '../../platform/access/limit-decision.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import { createCache } from '../../platform/cache.ts';
import { type CallContext, detached } from '../../platform/context.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { AuthState, Bearer, Principal } from './authenticator.ts';
import { type Misuse, misuseOf } from './key-restrictions.ts';

/**
 * Maximum number of cached auth states. No state is trusted alone: the limiter checks the liveness mark on every call.
 * Beyond it: the least recently used half is dropped, and the owning service is asked again.
 */
const MAX_AUTH_STATES = 100_000;
/**
 * Maximum number of keys and sessions that are remembered as unknown, ended or suspended. Beyond it: the least recently
 * used half is dropped, and those are looked up again.
 */
const MAX_REFUSED = 10_000;
/** A state in use is refreshed when it is older than this, in ms: before its liveness mark expires. */
const REFRESH_AFTER_MS = 40_000;
/**
 * A state that is older than this (ms) is not used. Calls through another gateway may have kept its liveness mark, but
 * its tier may have changed. Beyond it: the gateway asks the owning service again.
 */
const MAX_AGE_MS = 60_000;
/**
 * Timeout of a refresh, in milliseconds. Beyond it: the gateway asks the owning service again when the state is needed.
 */
const REFRESH_TIMEOUT_MS = 10_000;

interface CachedState extends AuthState {
    /** When the owning service was asked, by `performance.now()`. */
    lookedUpAt: number;
    /** True until Redis is told of the confirmation. */
    unmarked: boolean;
    refreshing: boolean;
}

/** The call was not counted for the key or session. `inactive`: it is unknown, revoked or ended. */
type Refused = { refused: 'inactive' } | { refused: 'suspended' } | { refused: Misuse; principal: Principal };
const INACTIVE = { refused: 'inactive' } as const;
const SUSPENDED = { refused: 'suspended' } as const;

export type Decided = { decision: Decision; principal: Principal } | Refused;

interface AuthStates {
    /**
     * What this process knows: `known` if it has served the key or session, or knows that it can never be active again;
     * `suspended` if its account was suspended when it was last looked up.
     */
    standing(bearer: Bearer): 'known' | 'suspended' | 'new';
    /**
     * Counts a call by a key or session in its bucket, as `weight` calls, if it is active and may be used from this IP
     * address.
     */
    decideCall(bearer: Bearer, context: CallContext, ip: string, weight: number): Promise<Decided>;
}

/**
 * Decides the calls of keys and sessions. It caches what the owning service said about a key or session, and asks again
 * when the limiter does not find a liveness mark. README.md shows the states.
 */
export function authStates({
    limiter,
    log,
    clock,
}: {
    limiter: Limiter;
    log: Log;
    /** Milliseconds since 1970. */
    clock: () => number;
}): AuthStates {
    const { standing, recent, lookUp, forget, refreshInBackground } = stateCache(log);

    /** A call with this state. A misused key is not charged. */
    function callWith(entry: CachedState, ip: string, weight: number) {
        const { restrictions, limitRequest } = entry;
        const misuse = restrictions && misuseOf(restrictions, { ip, now: clock() });
        return { entry, misuse, limitRequest: weighed(limitRequest, misuse ? 0 : weight) };
    }

    async function take(
        { entry, limitRequest }: ReturnType<typeof callWith>,
        byThisCall: boolean,
        context: CallContext,
    ): Promise<Decision> {
        const confirmation = entry.unmarked ? { askedAt: entry.lookedUpAt, byThisCall } : undefined;
        entry.unmarked = false;
        return limiter.take(limitRequest, confirmation, context);
    }

    return {
        standing,

        async decideCall(bearer, context, ip, weight) {
            const known = recent(bearer);
            const found = known ?? (await lookUp(bearer, context));
            if ('refused' in found) return found;
            let call = callWith(found, ip, weight);
            let decision = await take(call, !known, context);
            if (decision.state === 'unconfirmed' || (decision.state === 'unreachable' && known)) {
                const confirmed = await lookUp(bearer, context);
                if ('refused' in confirmed) return confirmed;
                call = callWith(confirmed, ip, weight);
                if (decision.state === 'unconfirmed') decision = await take(call, true, context);
            }
            if (decision.state === 'refused') {
                forget(bearer);
                return INACTIVE;
            }
            // The liveness mark or this call's look-up has confirmed that the restrictions are those of the present version.
            if (call.misuse) return { refused: call.misuse, principal: call.entry.principal };
            // Redis is unreachable or keeps losing its data, but the owning service has confirmed this very call.
            if (decision.state === 'unreachable' || decision.state === 'unconfirmed') {
                decision = limiter.takeLocally(call.limitRequest);
            }
            refreshInBackground(call.entry, bearer, context);
            return { decision, principal: call.entry.principal };
        },
    };
}

/** What the owning services have said about keys and sessions. */
function stateCache(log: Log) {
    const cached = createCache<string, CachedState>(MAX_AUTH_STATES);
    const refused = createCache<string, 'gone' | 'suspended'>(MAX_REFUSED);

    async function lookUp(
        bearer: Bearer,
        context: CallContext,
    ): Promise<CachedState | typeof INACTIVE | typeof SUSPENDED> {
        if (refused.get(bearer.id) === 'gone') return INACTIVE;
        const lookedUpAt = performance.now();
        const state = await bearer.lookUp({ ...context, trusted: true });
        if (typeof state === 'string') {
            cached.delete(bearer.id);
            if (state !== 'inactive') refused.set(bearer.id, state);
            return state === 'suspended' ? SUSPENDED : INACTIVE;
        }
        const entry = { ...state, lookedUpAt, unmarked: true, refreshing: false };
        cached.set(bearer.id, entry);
        refused.delete(bearer.id);
        return entry;
    }

    return {
        lookUp,
        forget: ({ id }: Bearer) => cached.delete(id),

        standing({ id }: Bearer): 'known' | 'suspended' | 'new' {
            if (cached.has(id)) return 'known';
            const last = refused.get(id);
            return last === 'gone' ? 'known' : (last ?? 'new');
        },

        recent({ id }: Bearer): CachedState | undefined {
            const entry = cached.get(id);
            return entry && performance.now() - entry.lookedUpAt < MAX_AGE_MS ? entry : undefined;
        },

        refreshInBackground(entry: CachedState, bearer: Bearer, context: CallContext): void {
            if (entry.refreshing || performance.now() - entry.lookedUpAt < REFRESH_AFTER_MS) return;
            entry.refreshing = true;
            lookUp(bearer, detached(context, REFRESH_TIMEOUT_MS)).catch((error: unknown) => {
                entry.refreshing = false;
                log.warn({ err: error }, 'could not refresh a cached authentication state');
            });
        },
    };
}

function weighed(limitRequest: LimitRequest, weight: number): LimitRequest {
    return weight === 1 ? limitRequest : { ...limitRequest, weight };
}
