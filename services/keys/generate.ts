import { type ApiKeyFormat, makeApiKey } from '../../platform/access/api-key.ts';
import { LIVENESS_MARK_MS } from '../../platform/access/liveness-marks.ts';
import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { GenerateRequest, GenerateResponse } from '../../proto/gen/keys/v1/keys.ts';
import type { Tier } from '../../proto/tiers.ts';
import { openAnswer, sealAnswer } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type Quota, quotaExceeded } from '../quotas.ts';
import { requireName } from '../texts.ts';
import { exceeds, rateLimit, requireTier } from '../tiers.ts';
import { requireRestrictions, shown, writtenOnce } from './restrictions.ts';
import type { KeyCounts, NewKeyRow } from './rows.ts';
import type { KeyStore } from './store.ts';

export interface KeyPolicy extends ApiKeyFormat {
    /** Whether a key may have a higher tier than its account. */
    tierPolicy: 'any' | 'cap';
    /** Maximum number of active keys of an account, by tier. */
    keyLimits: Quota;
    /** Length of a rate limit window, in milliseconds. */
    windowMs: number;
    /** Maximum number of keys of an account, including revoked ones. */
    keyQuota: Quota;
}

interface GenerateOptions {
    store: KeyStore;
    idempotency: Idempotency;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
    mostOf(context: CallContext): KeyCounts;
}

/** Returns the method that creates an API key. Its secret is in this answer alone: the store keeps only its hash. */
export function generator(
    options: GenerateOptions,
): (request: GenerateRequest, context: CallContext) => Promise<GenerateResponse> {
    const { store, idempotency, policy, clock, mostOf } = options;
    return async (request, context) => {
        const account = requireUser(context);
        const name = requireName(request.name);
        const tier = requireKeyTier(request, policy, context);
        const most = mostOf(context);
        const call = {
            operation: 'keys.generate',
            codec: GenerateRequest,
            message: { ...request, name, ...writtenOnce(request) },
        };
        const claim = idempotency.claimOf({ ...call, showsSecret: true }, context);

        const write = async (): Promise<GenerateResponse | undefined> => {
            const now = clock();
            const { api_key, hash, mask } = makeApiKey(policy);
            const made = { key_id: newId(now), created_at: new Date(now).toISOString() };
            const key = { ...made, account, hash, mask, name, tier, ...requireRestrictions(request, now) };
            const answer = generated(key, api_key);
            const newClaim = claim && {
                ...claim,
                id: key.key_id,
                made_at: key.created_at,
                sealed: sealAnswer(claim, { codec: GenerateResponse, message: answer }),
            };
            const conditions = { most, since: windowsSince(policy, now), claim: newClaim };
            const outcome = await store.insert(key, conditions, context);
            if (outcome === 'refused') throw await refusal(store, { account, now: key.created_at, most }, context);
            return outcome === 'written' ? answer : undefined;
        };
        return idempotency.once(claim, { write, replay: openAnswer(GenerateResponse), lookFirst: true }, context);
    };
}

function requireKeyTier({ tier: asked }: GenerateRequest, { tierPolicy }: KeyPolicy, context: CallContext): Tier {
    const accountTier = requireTier(context.tier ?? 'free');
    const tier = asked === undefined ? accountTier : requireTier(asked);
    if (tierPolicy === 'cap' && exceeds(tier, accountTier)) {
        throw new AppError('forbidden', `A key's tier may not exceed its account's, which is ${accountTier}.`);
    }
    return tier;
}

/**
 * Since when a key has ended (ISO 8601) whose window may be open. Without Redis, gateways may accept a revoked key as long
 * as a liveness mark lasts. `now` in milliseconds since 1970.
 */
export function windowsSince({ windowMs }: Pick<KeyPolicy, 'windowMs'>, now: number): string {
    return new Date(now - windowMs - LIVENESS_MARK_MS).toISOString();
}

/** Why the account may not have another key. */
async function refusal(
    store: KeyStore,
    { account, now, most }: { account: string; now: string; most: KeyCounts },
    context: CallContext,
): Promise<AppError> {
    const { all } = await store.counts({ account, now }, context);
    return all >= most.all ? quotaExceeded('API keys, revoked ones included', most.all) : tooManyActive(most.active);
}

/** A new key as the answer shows it. */
export function generated(key: NewKeyRow, apiKey: string): GenerateResponse {
    const { key_id, name, tier, created_at } = key;
    return { key_id, api_key: apiKey, name, tier, rate_limit: rateLimit(tier), created_at, ...shown(key) };
}

export function tooManyActive(most: number): AppError {
    return new AppError('forbidden', `The account has reached its limit of ${most} active API keys.`);
}
