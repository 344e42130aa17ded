import type { Decision, LimitRequest } from '../../platform/access/limit-decision.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import { createCache } from '../../platform/cache.ts';
import { type CallContext, detached } from '../../platform/context.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { AuthState, Bearer, Principal } from './authenticator.ts';
import { type Misuse, misuseOf } from './key-restrictions.ts';

/** Maximum number of cached auth states. No state is trusted alone: the limiter checks the liveness mark on every call. */
const MAX_AUTH_STATES = 100_000;
/** A state in use is refreshed when it is older than this, in ms: before its liveness mark expires. */
const REFRESH_AFTER_MS = 40_000;
/**
 * A state that is older than this (ms) is not used. Calls through another gateway may have kept its liveness mark, but
 * its tier may have changed.
 */
const MAX_AGE_MS = 60_000;
/** Timeout of a refresh, in milliseconds. */
const REFRESH_TIMEOUT_MS = 10_000;

interface CachedState extends AuthState {
    /** When the owning service was asked, by `performance.now()`. */
    lookedUpAt: number;
    /** True until Redis is told of the confirmation. */
    unmarked: boolean;
    refreshing: boolean;
}

/** A call to count. `byThisCall`: the owning service was asked since it began. `weight`: how many calls it counts as. */
interface Counted {
    byThisCall: boolean;
    weight: number;
}

/** The call was not counted for the key or session. `inactive`: it is unknown, revoked or ended. */
type Refused = { refused: 'inactive' } | { refused: Misuse; principal: Principal };

type Decided = { decision: Decision; principal: Principal } | Refused;

/**
 * Counts a call by a key or session in its bucket, as `weight` calls, if it is active and may be used from this IP
 * address.
 */
export type DecideCall = (bearer: Bearer, context: CallContext, ip: string, weight?: number) => Promise<Decided>;

/**
 * Decides the calls of keys and sessions. It caches what the owning service said about a key or session, and asks again
 * when the limiter does not find a liveness mark. README.md shows the states.
 */
export function authStates(options: {
    limiter: Limiter;
    log: Log;
    /** Milliseconds since 1970. */
    clock: () => number;
}): DecideCall {
    const { limiter, log, clock } = options;
    const cached = createCache<string, CachedState>(MAX_AUTH_STATES);

    async function lookUp(bearer: Bearer, context: CallContext): Promise<CachedState | undefined> {
        const lookedUpAt = performance.now();
        const state = await bearer.lookUp({ ...context, trusted: true });
        if (!state) {
            cached.delete(bearer.id);
            return undefined;
        }
        const entry = { ...state, lookedUpAt, unmarked: true, refreshing: false };
        cached.set(bearer.id, entry);
        return entry;
    }

    function recent({ id }: Bearer): CachedState | undefined {
        const entry = cached.get(id);
        return entry && performance.now() - entry.lookedUpAt < MAX_AGE_MS ? entry : undefined;
    }

    function refreshInBackground(entry: CachedState, bearer: Bearer, context: CallContext): void {
        if (entry.refreshing || performance.now() - entry.lookedUpAt < REFRESH_AFTER_MS) return;
        entry.refreshing = true;
        lookUp(bearer, detached(context, REFRESH_TIMEOUT_MS)).catch((error: unknown) => {
            entry.refreshing = false;
            log.warn({ err: error }, 'could not refresh a cached authentication state');
        });
    }

    async function decide(entry: CachedState, counted: Counted, context: CallContext): Promise<Decision> {
        const confirmation = entry.unmarked ? { askedAt: entry.lookedUpAt, byThisCall: counted.byThisCall } : undefined;
        entry.unmarked = false;
        return limiter.take(weighed(entry, counted.weight), confirmation, context);
    }

    const misuse = ({ restrictions }: CachedState, ip: string): Misuse | undefined =>
        restrictions && misuseOf(restrictions, { ip, now: clock() });

    /** The cached state if it permits the call. If it does not, it may be outdated, so the owning service is asked. */
    function permitting(bearer: Bearer, ip: string): CachedState | undefined {
        const entry = recent(bearer);
        return entry && !misuse(entry, ip) ? entry : undefined;
    }

    async function ask(bearer: Bearer, context: CallContext, ip: string): Promise<CachedState | Refused> {
        const entry = await lookUp(bearer, context);
        if (!entry) return { refused: 'inactive' };
        const refused = misuse(entry, ip);
        return refused ? { refused, principal: entry.principal } : entry;
    }

    return async (bearer, context, ip, weight = 1) => {
        const known = permitting(bearer, ip);
        let entry = known ?? (await ask(bearer, context, ip));
        if ('refused' in entry) return entry;
        let decision = await decide(entry, { byThisCall: !known, weight }, context);
        if (decision.state === 'unconfirmed' || (decision.state === 'unreachable' && known)) {
            entry = await ask(bearer, context, ip);
            if ('refused' in entry) return entry;
            if (decision.state === 'unconfirmed') decision = await decide(entry, { byThisCall: true, weight }, context);
        }
        if (decision.state === 'refused') {
            cached.delete(bearer.id);
            return { refused: 'inactive' };
        }
        // Redis is unreachable or keeps losing its data, but the owning service has confirmed this very call.
        if (decision.state === 'unreachable' || decision.state === 'unconfirmed') {
            decision = limiter.takeLocally(weighed(entry, weight));
        }
        refreshInBackground(entry, bearer, context);
        return { decision, principal: entry.principal };
    };
}

function weighed({ limitRequest }: CachedState, weight: number): LimitRequest {
    return weight === 1 ? limitRequest : { ...limitRequest, weight };
}
