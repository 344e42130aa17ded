import { createCache } from '../platform/cache.ts';
import type { CallContext } from '../platform/context.ts';
import { AppError } from '../platform/errors.ts';
import { NIL_ID } from '../platform/ids.ts';
import { internalBucket, keyBucket, sessionsBucket, unfoldedBuckets } from '../platform/limit-record.ts';
import type { Log } from '../platform/log.ts';
import type { Authenticator, Bearer, Principal, Standing } from './auth.ts';
import { type Claim, type Decision, type Limiter, limitExceeded } from './limit.ts';

/** Keys and sessions whose standing is remembered. Never trusted alone: the limiter checks the mark on every call. */
const REMEMBERED = 100_000;
/** A standing older than this is asked for again while it is in use, in milliseconds: ahead of its mark's end. */
const RENEW_AFTER_MS = 40_000;
/** How long an owner may take for that, in milliseconds. */
const RENEWAL_TIMEOUT_MS = 10_000;

export interface Admission {
    decision: Decision;
    principal?: Principal;
    /** Why the call is refused. */
    failure?: AppError;
}

export interface Admitter {
    /** Authenticates a bearer token (undefined: there was none), then counts the call in its bucket. */
    bearer(
        token: string | undefined,
        accepts: { keys: boolean },
        address: string,
        context: CallContext,
    ): Promise<Admission>;
    /** Counts a call without credential in the bucket of its address. */
    anonymous(address: string): Promise<Admission>;
    /** Counts a presentation that was verified: for a key, for an account, or for nobody but the platform. */
    countVerified(caller: {
        user_id?: string | undefined;
        key_id?: string;
        session_id?: string | undefined;
    }): Promise<void>;
    /** Feeds the headers of internal calls, which no limit refuses. */
    internal(): Admission;
}

interface Remembered extends Standing {
    /** When its owner was asked. */
    asked_at: number;
    /** The owner's word has not been passed on to Redis yet. */
    unmarked: boolean;
    renewing: boolean;
}

export function admitter(options: {
    authenticator: Authenticator;
    limiter: Limiter;
    limits: { anonymous: number; unknown_key: number; internal: number };
    log: Log;
}): Admitter {
    const { authenticator, limiter, limits, log } = options;
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

    function renewInBackground(entry: Remembered, bearer: Bearer, context: CallContext): void {
        if (entry.renewing || performance.now() - entry.asked_at < RENEW_AFTER_MS) return;
        entry.renewing = true;
        ask(bearer, { ...context, deadline: performance.now() + RENEWAL_TIMEOUT_MS }).catch((error: unknown) => {
            entry.renewing = false;
            log.warn({ err: error }, 'a standing could not be renewed ahead of time');
        });
    }

    async function decide(entry: Remembered): Promise<Decision> {
        const asked_at = entry.unmarked ? entry.asked_at : undefined;
        entry.unmarked = false;
        return limiter.take(entry.claim, asked_at);
    }

    /** Undefined: the token stands for nothing that is alive. */
    async function take(
        bearer: Bearer,
        context: CallContext,
    ): Promise<Required<Omit<Admission, 'failure'>> | undefined> {
        const known = remembered.get(bearer.id);
        let entry = known ?? (await ask(bearer, context));
        if (!entry) return undefined;
        let decision = await decide(entry);
        if (decision.state === 'unconfirmed' || (decision.state === 'unreachable' && known)) {
            entry = await ask(bearer, context);
            if (!entry) return undefined;
            if (decision.state === 'unconfirmed') decision = await decide(entry);
        }
        if (decision.state === 'refused') {
            remembered.delete(bearer.id);
            return undefined;
        }
        // Redis is away, or forgets again and again; but the owner has been asked in this very call.
        if (decision.state === 'unreachable' || decision.state === 'unconfirmed') {
            decision = limiter.takeLocally(entry.claim);
        }
        renewInBackground(entry, bearer, context);
        return { decision, principal: entry.principal };
    }

    async function takeByAddress(bucket: string, address: string, limit: number): Promise<Decision> {
        const tag = limiter.tag(address);
        const claim: Claim = { tag, bucket: `limit:${tag}:${bucket}:${address}`, limit };
        // Errors are answered with this too: it must not fail where too many calls wait.
        const decision = await limiter.take(claim).catch(() => undefined);
        return decision && decision.state !== 'unreachable' ? decision : limiter.takeLocally(claim);
    }

    const anonymous = async (address: string): Promise<Admission> =>
        verdict(await takeByAddress('address', address, limits.anonymous));

    /** 401, or 429 where the address has used up its calls without a valid credential. */
    async function unauthenticated(detail: string, address: string): Promise<Admission> {
        const { decision, failure } = await anonymous(address);
        return { decision, failure: failure ?? new AppError('unauthenticated', detail) };
    }

    return {
        anonymous,

        async bearer(token, accepts, address, context) {
            if (token === undefined) return unauthenticated(bearerRequired().detail, address);
            const bearer = await authenticator.identify(token);
            if (!bearer || (bearer.kind === 'key' && !accepts.keys)) {
                const wanted = accepts.keys ? 'session token or API key' : 'session token';
                return unauthenticated(`The ${wanted} is not valid.`, address);
            }
            const taken = await take(bearer, context);
            if (taken) return { ...verdict(taken.decision), principal: taken.principal };
            if (bearer.kind === 'key') {
                const lookups = verdict(await takeByAddress('unknown-keys', address, limits.unknown_key));
                if (lookups.failure) return lookups;
            }
            return unauthenticated('The bearer token is unknown, revoked or expired.', address);
        },

        countVerified({ user_id = NIL_ID, key_id, session_id }) {
            const tag = limiter.tag(user_id);
            const called = session_id === undefined ? internalBucket(tag, user_id) : sessionsBucket(tag, user_id);
            const bucket = key_id === undefined ? called : keyBucket(tag, user_id, key_id);
            return limiter.countVerified({ tag, bucket, unfolded: unfoldedBuckets(tag, user_id) });
        },

        internal: () => verdict(limiter.takeLocally({ tag: '', bucket: 'internal', limit: limits.internal }), true),
    };
}

function verdict(decision: Decision, never_refused = false): Admission {
    if (decision.state === 'limited' && !never_refused) return { decision, failure: limitExceeded(decision) };
    return { decision };
}

export function bearerRequired(): AppError {
    return new AppError('unauthenticated', 'A bearer token is required in Authorization.');
}
