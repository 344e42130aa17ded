import { type ApiKeyFormat, makeApiKey } from '../../platform/access/api-key.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { GenerateRequest, GenerateResponse } from '../../proto/gen/keys/v1/keys.ts';
import { openAnswer, sealAnswer } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type Quota, quotaExceeded } from '../quotas.ts';
import { requireName } from '../texts.ts';
import { exceeds, rateLimit, requireTier } from '../tiers.ts';
import type { KeyCounts } from './rows.ts';
import type { KeyStore } from './store.ts';

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
    idempotency,
    policy,
    clock,
    mostOf,
}: {
    store: KeyStore;
    idempotency: Idempotency;
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
        const call = { operation: 'keys.generate', codec: GenerateRequest, message: request };
        const claim = idempotency.claimOf({ ...call, showsSecret: true }, context);

        const write = async (): Promise<GenerateResponse | undefined> => {
            const { api_key, hash, mask } = makeApiKey(policy);
            const now = clock();
            const key = { key_id: newId(now), name, tier, created_at: new Date(now).toISOString() };
            const answer = { ...key, api_key, rate_limit: rateLimit(tier) };
            const newClaim = claim && {
                ...claim,
                id: key.key_id,
                made_at: key.created_at,
                sealed: sealAnswer(claim, { codec: GenerateResponse, message: answer }),
            };
            const outcome = await store.insert({ ...key, account, hash, mask }, { most, claim: newClaim }, context);
            if (outcome === 'refused') throw await exceeded(store, { account, most }, context);
            return outcome === 'written' ? answer : undefined;
        };
        return idempotency.once(claim, { write, replay: openAnswer(GenerateResponse), lookFirst: true }, context);
    };
}

async function exceeded(
    store: KeyStore,
    { account, most }: { account: string; most: KeyCounts },
    context: CallContext,
): Promise<AppError> {
    const { all } = await store.counts(account, context);
    if (all >= most.all) return quotaExceeded('API keys, revoked ones included', most.all);
    return new AppError('forbidden', `The account has reached its limit of ${most.active} active API keys.`);
}
