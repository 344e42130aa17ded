import {
    bucketsAwaitingRollUp,
    internalBucket,
    keyBucket,
    sessionsBucket,
} from '../../platform/access/limit-record.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { NIL_ID } from '../../platform/ids.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import type { Traced } from '../../platform/telemetry/span.ts';
import type { Authenticator, Principal } from './auth.ts';
import type { Limiter } from './limit.ts';
import { type Decision, type LimitRequest, limitExceeded } from './limit-decision.ts';
import { liveBearers } from './live.ts';

export interface Admission {
    decision: Decision;
    principal?: Principal;
    /** Why the call is refused. */
    failure?: AppError;
}

export interface Admitter {
    /** Authenticates a bearer token (undefined: the request has none), then counts the call in the token's bucket. */
    bearer(
        token: string | undefined,
        accepts: { keys: boolean },
        address: string,
        context: CallContext,
    ): Promise<Admission>;
    /** Counts a call without a credential in the bucket of its address. */
    anonymous(address: string, traced: Traced): Promise<Admission>;
    /** Counts a verified presentation: for a key, for an account, or for the platform alone. */
    countVerified(caller: {
        user_id?: string | undefined;
        key_id?: string;
        session_id?: string | undefined;
    }): Promise<void>;
    /** Provides the limit headers of internal calls, which are never limited. */
    internal(): Admission;
}

export function admitter(options: {
    authenticator: Authenticator;
    limiter: Limiter;
    limits: { anonymous: number; unknown_key: number; internal: number };
    log: Log;
}): Admitter {
    const { authenticator, limiter, limits, log } = options;
    const countLiveCall = liveBearers({ limiter, log });

    async function takeByAddress(bucket: string, address: string, limit: number, traced: Traced): Promise<Decision> {
        const tag = limiter.tag(address);
        const limitRequest: LimitRequest = { tag, bucket: `limit:${tag}:${bucket}:${address}`, limit };
        // Error answers carry these headers too, so this must not fail when too many calls wait.
        const decision = await limiter.take(limitRequest, undefined, traced).catch(() => undefined);
        return decision && decision.state !== 'unreachable' ? decision : limiter.takeLocally(limitRequest);
    }

    const anonymous = async (address: string, traced: Traced): Promise<Admission> =>
        verdict(await takeByAddress('address', address, limits.anonymous, traced));

    /** 401, or 429 when the address has used up its calls without a valid credential. */
    async function unauthenticated(detail: string, address: string, traced: Traced): Promise<Admission> {
        const { decision, failure } = await anonymous(address, traced);
        return { decision, failure: failure ?? new AppError('unauthenticated', detail) };
    }

    return {
        anonymous,

        async bearer(token, accepts, address, context) {
            if (token === undefined) return unauthenticated(bearerRequired().detail, address, context);
            const bearer = await authenticator.identify(token);
            if (!bearer || (bearer.kind === 'key' && !accepts.keys)) {
                const wanted = accepts.keys ? 'session token or API key' : 'session token';
                return unauthenticated(`The ${wanted} is not valid.`, address, context);
            }
            const taken = await countLiveCall(bearer, context);
            if (taken) return { ...verdict(taken.decision), principal: taken.principal };
            if (bearer.kind === 'key') {
                const lookups = verdict(await takeByAddress('unknown-keys', address, limits.unknown_key, context));
                if (lookups.failure) return lookups;
            }
            return unauthenticated('The bearer token is unknown, revoked or expired.', address, context);
        },

        countVerified({ user_id = NIL_ID, key_id, session_id }) {
            const tag = limiter.tag(user_id);
            const called = session_id === undefined ? internalBucket(tag, user_id) : sessionsBucket(tag, user_id);
            const bucket = key_id === undefined ? called : keyBucket(tag, user_id, key_id);
            return limiter.countVerified({ tag, bucket, awaitingRollUp: bucketsAwaitingRollUp(tag, user_id) });
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
