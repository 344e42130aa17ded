/** Requests per minute of an API key, by tier. Each item of a batch of credentials is one. Beyond it: 429. */
export const RATE_LIMITS = { free: 10, basic: 100, pro: 1_000, enterprise: 10_000 } as const;

/**
 * Minimum limit of an account's session calls, in requests per minute, whatever its tier (decision A12). Beyond it:
 * 429.
 */
export const LEAST_SESSION_LIMIT = 600;

export type Tier = keyof typeof RATE_LIMITS;

/** In ascending order. */
export const TIERS = Object.keys(RATE_LIMITS) as readonly Tier[];

/** The limits of all tiers, for texts: `free 10, basic 100, …`. The first use of a locale takes 25 ms. */
export function rateLimitsText(): string {
    return Object.entries(RATE_LIMITS)
        .map(([tier, limit]) => `${tier} ${limit.toLocaleString('en-US')}`)
        .join(', ');
}
