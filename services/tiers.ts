import { invalid } from '../platform/errors.ts';
import { LEAST_SESSION_LIMIT, RATE_LIMITS, TIERS, type Tier } from '../proto/tiers.ts';

export function isTier(text: string): text is Tier {
    return Object.hasOwn(RATE_LIMITS, text);
}

export function requireTier(text: string): Tier {
    if (!isTier(text)) throw invalid(`tier must be one of ${TIERS.join(', ')}.`);
    return text;
}

export function rateLimit(tier: Tier): number {
    return RATE_LIMITS[tier];
}

export function sessionRateLimit(tier: Tier): number {
    return Math.max(RATE_LIMITS[tier], LEAST_SESSION_LIMIT);
}

/** True if `tier` is higher than `other`. */
export function exceeds(tier: Tier, other: Tier): boolean {
    return TIERS.indexOf(tier) > TIERS.indexOf(other);
}
