import { addressBucket } from '../../platform/access/buckets.ts';
import type { LimitRequest } from '../../platform/access/limit-decision.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export interface AddressLimits {
    /** Counts a call without a valid credential. */
    anonymous(address: string, lifetime: CallLifetime): Promise<Verdict>;
    /** Gives such a call back, because the credential has become valid again. */
    giveBackCall(address: string): Promise<unknown>;
    /** Counts the look-up of a key that this gateway does not know, or of a key or session of a suspended account. */
    lookUp(address: string, lifetime: CallLifetime): Promise<Verdict>;
    /** Gives such a look-up back, because the key or session is active. */
    giveBackLookUp(address: string): Promise<unknown>;
}

/** The limits of calls that belong to no account. They count in buckets of the client's address. */
export function addressLimits(options: {
    limiter: Limiter;
    limits: { anonymous: number; unknownKey: number };
}): AddressLimits {
    const { limiter, limits } = options;

    function requestOf(what: 'calls' | 'lookups', address: string): LimitRequest {
        const tag = limiter.tag(address);
        const limit = what === 'calls' ? limits.anonymous : limits.unknownKey;
        return { tag, bucket: addressBucket(tag, what, address), limit };
    }

    async function count(limitRequest: LimitRequest, lifetime?: CallLifetime): Promise<Verdict> {
        // Every error answer states the rate limit, so this never fails: if too many calls wait, this process decides.
        const decision = await limiter.take(limitRequest, undefined, lifetime).catch(() => undefined);
        const isDecided = decision && decision.state !== 'unreachable';
        return verdictOf(isDecided ? decision : limiter.takeLocally(limitRequest));
    }

    return {
        anonymous: (address, lifetime) => count(requestOf('calls', address), lifetime),
        giveBackCall: (address) => count({ ...requestOf('calls', address), weight: -1 }),
        lookUp: (address, lifetime) => count(requestOf('lookups', address), lifetime),
        giveBackLookUp: (address) => count({ ...requestOf('lookups', address), weight: -1 }),
    };
}
