import { type ApiKeyFormat, makeApiKey } from '../../platform/access/api-key.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { GenerateRequest, GenerateResponse } from '../../proto/gen/keys/v1/keys.ts';
import { type Quota, quotaExceeded } from '../quotas.ts';
import { requireName } from '../texts.ts';
import { exceeds, rateLimit, requireTier } from '../tiers.ts';
import type { KeyCounts, KeyStore } from './store.ts';

export interface KeyPolicy extends ApiKeyFormat {
    /** Whether a key may have a higher tier than its account. */
    tierPolicy: 'any' | 'cap';
    /** Maximum number of active keys of an account, by tier. */
    keyLimits: Quota;
    /** Maximum number of keys of an account, including revoked ones. */
    keyQuota: Quota;
}

/** Returns the method that creates an API key. Its secret is in this answer alone: the store keeps only its hash. */
export function generator({
    store,
    policy,
    clock,
    mostOf,
}: {
    store: KeyStore;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
    mostOf(context: CallContext): KeyCounts;
}): (request: GenerateRequest, context: CallContext) => Promise<GenerateResponse> {
    return async (request, context) => {
        const account = requireUser(context);
        const accountTier = requireTier(context.tier ?? 'free');
        const name = requireName(request.name);
        const tier = request.tier === undefined ? accountTier : requireTier(request.tier);
        if (policy.tierPolicy === 'cap' && exceeds(tier, accountTier)) {
            throw new AppError('forbidden', `A key's tier may not exceed its account's, which is ${accountTier}.`);
        }
        const most = mostOf(context);
        const { api_key, hash, mask } = makeApiKey(policy);
        const now = clock();
        const key = { key_id: newId(now), name, tier, created_at: new Date(now).toISOString() };
        if (!(await store.insert({ ...key, account, hash, mask }, most, context))) {
            const { all } = await store.counts(account, context);
            if (all >= most.all) throw quotaExceeded('API keys, revoked ones included', most.all);
            throw new AppError('forbidden', `The account has reached its limit of ${most.active} active API keys.`);
        }
        return { ...key, api_key, rate_limit: rateLimit(tier) };
    };
}
