import { addressBucket } from '../../platform/access/buckets.ts';
import type { LimitRequest } from '../../platform/access/limit-decision.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import type { CallLifetime } from '../../platform/context.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export interface AddressLimits {
    /** Counts a call without a valid credential. */
    anonymous(address: string, lifetime: CallLifetime): Promise<Verdict>;
    /** Counts a call with a well-formed API key that is unknown or not active. It has cost a lookup in the database. */
    unknownKey(address: string, lifetime: CallLifetime): Promise<Verdict>;
}

/** The limits of calls that belong to no account. They count in buckets of the client's address. */
export function addressLimits(options: {
    limiter: Limiter;
    limits: { anonymous: number; unknownKey: number };
}): AddressLimits {
    const { limiter, limits } = options;

    async function count(
        what: 'calls' | 'lookups',
        address: string,
        limit: number,
        lifetime: CallLifetime,
    ): Promise<Verdict> {
        const tag = limiter.tag(address);
        const limitRequest: LimitRequest = { tag, bucket: addressBucket(tag, what, address), limit };
        // Every error answer states the rate limit, so this never fails: if too many calls wait, this process decides.
        const decision = await limiter.take(limitRequest, undefined, lifetime).catch(() => undefined);
        const isDecided = decision && decision.state !== 'unreachable';
        return verdictOf(isDecided ? decision : limiter.takeLocally(limitRequest));
    }

    return {
        anonymous: (address, lifetime) => count('calls', address, limits.anonymous, lifetime),
        unknownKey: (address, lifetime) => count('lookups', address, limits.unknownKey, lifetime),
    };
}
