import type { Config } from '../../platform/process/config.ts';

/** What API keys a deployment creates and accepts, and how many. */
export function keyPolicy(config: Config) {
    return {
        brand: config.KEY_BRAND,
        environment: config.KEY_ENVIRONMENT,
        tierPolicy: config.KEY_TIER_POLICY,
        keyLimits: {
            free: config.KEY_LIMIT_FREE,
            basic: config.KEY_LIMIT_BASIC,
            pro: config.KEY_LIMIT_PRO,
            enterprise: config.KEY_LIMIT_ENTERPRISE,
        },
        keyQuota: config.QUOTA_KEYS,
        windowMs: config.RATE_WINDOW_SECONDS * 1_000,
    };
}
