import { parseApiKey } from '../../platform/access/api-key.ts';
import { keyBucket } from '../../platform/access/buckets.ts';
import type { Decision } from '../../platform/access/limit-decision.ts';
import type { Limiter } from '../../platform/access/limiter.ts';
import { networkList } from '../../platform/access/networks.ts';
import type { RequestCounts } from '../../platform/access/request-counts.ts';
import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { CheckCode } from '../../proto/check-codes.ts';
import type { CheckRequest, CheckResponse } from '../../proto/gen/keys/v1/keys.ts';
import { MAX_CHECK_COST } from '../../proto/limits.ts';
import type { Scope } from '../../proto/scopes.ts';
import { rateLimit } from '../tiers.ts';
import type { KeyPolicy } from './generate.ts';
import { covers, hasExpired, requireScope } from './restrictions.ts';
import type { HashedKey, KeyStore } from './store.ts';

interface CheckOptions {
    store: KeyStore;
    limiter: Limiter;
    requestCounts: RequestCounts;
    policy: KeyPolicy;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/**
 * Returns the method that decides about a call of another service. It reads the key itself, so it needs no liveness mark.
 * The call counts in the bucket in which gateways count the key's calls. A key that may not make the call is not charged.
 */
export function checker({
    store,
    limiter,
    requestCounts,
    policy,
    clock,
}: CheckOptions): (request: CheckRequest, context: CallContext) => Promise<CheckResponse> {
    return async (request, context) => {
        const { api_key, scope, cost = 1, address = context.address ?? '' } = request;
        if (cost > MAX_CHECK_COST) throw invalid(`cost must be a whole number from 0 to ${MAX_CHECK_COST}.`);
        const needed = requireScope(scope);
        const parsed = parseApiKey(api_key, policy);
        const key = parsed && (await store.findByHash(parsed.hash, context));
        if (!key) return { valid: false, code: 'not_found', scopes: [] };
        const known = { key_id: key.key_id, user_id: key.account, tier: key.tier, scopes: [...(key.scopes ?? [])] };
        const refusal = refusalOf(key, { needed, address, now: clock() });
        if (refusal) return { valid: false, code: refusal, ...known };
        const { state, limit, remaining, reset } = await count(limiter, { key, cost }, context);
        const code: CheckCode = state === 'admitted' ? 'valid' : 'rate_limited';
        if (code === 'rate_limited') requestCounts.refused(known);
        else if (cost > 0) requestCounts.admitted(known, cost);
        return { valid: code === 'valid', code, ...known, limit, remaining, reset };
    };
}

function refusalOf(
    key: HashedKey,
    call: { needed: Scope | undefined; address: string; now: number },
): CheckCode | undefined {
    if (key.revoked_at !== null) return 'revoked';
    if (key.suspended) return 'suspended';
    if (hasExpired(key, call.now)) return 'expired';
    if (key.allowed !== null && !networkList(key.allowed)(call.address)) return 'address_not_allowed';
    return covers(key, call.needed) ? undefined : 'missing_scope';
}

async function count(
    limiter: Limiter,
    { key, cost }: { key: HashedKey; cost: number },
    context: CallContext,
): Promise<Decision> {
    const { account, tier } = key;
    const tag = limiter.tag(account);
    const bucket = keyBucket(tag, account, key.bucket);
    const limitRequest = { tag, bucket, limit: rateLimit(tier), tier, weight: cost };
    const decision = await limiter.take(limitRequest, undefined, context);
    return decision.state === 'unreachable' ? limiter.takeLocally(limitRequest) : decision;
}
