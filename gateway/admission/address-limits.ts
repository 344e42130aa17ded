import type { Traced } from '../../platform/telemetry/span.ts';
import type { LimitRequest } from './limit-decision.ts';
import type { Limiter } from './limiter.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export interface AddressLimits {
    /** Counts a call without a valid credential. */
    anonymous(address: string, traced: Traced): Promise<Verdict>;
    /** Counts a call with a well-formed API key that is unknown or not active. It has cost a lookup in the database. */
    unknownKey(address: string, traced: Traced): Promise<Verdict>;
}

/** The limits of calls that belong to no account. They count in buckets of the client's address. */
export function addressLimits(options: {
    limiter: Limiter;
    limits: { anonymous: number; unknownKey: number };
}): AddressLimits {
    const { limiter, limits } = options;

    async function count(bucket: string, address: string, limit: number, traced: Traced): Promise<Verdict> {
        const tag = limiter.tag(address);
        const limitRequest: LimitRequest = { tag, bucket: `limit:${tag}:${bucket}:${address}`, limit };
        // Error answers carry these headers too, so this must not fail when too many calls wait.
        const decision = await limiter.take(limitRequest, undefined, traced).catch(() => undefined);
        const isDecided = decision && decision.state !== 'unreachable';
        return verdictOf(isDecided ? decision : limiter.takeLocally(limitRequest));
    }

    return {
        anonymous: (address, traced) => count('address', address, limits.anonymous, traced),
        unknownKey: (address, traced) => count('unknown-keys', address, limits.unknownKey, traced),
    };
}
