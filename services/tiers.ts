import { invalid } from '../platform/errors.ts';

/** Requests per minute of an API key, by tier. Each item of a batch of credentials is one. Beyond it: 429. */
const RATE_LIMITS = { free: 10, basic: 100, pro: 1_000, enterprise: 10_000 } as const;
/**
 * Minimum limit of an account's session calls, in requests per minute, whatever its tier (decision A12). Beyond it:
 * 429.
 */
const LEAST_SESSION_LIMIT = 600;

export type Tier = keyof typeof RATE_LIMITS;

/** In ascending order. */
export const TIERS = ['free', 'basic', 'pro', 'enterprise'] as const satisfies readonly Tier[];

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
