import type { CallContext } from '../../platform/context.ts';
import type { AuthenticateRequest, AuthenticateResponse } from '../../proto/gen/keys/v1/keys.ts';
import { scopeMask } from '../../proto/scopes.ts';
import { rateLimit } from '../tiers.ts';
import type { Restrictions } from './restrictions.ts';
import type { KeyStore } from './store.ts';

const HASH_BYTES = 32;
const UNKNOWN: AuthenticateResponse = {
    alive: false,
    key_id: '',
    user_id: '',
    tier: '',
    rate_limit: 0,
    allowed_addresses: [],
    version: 0,
    bucket: '',
    gone: true,
    suspended: false,
};

/**
 * Returns the method that finds a key by its hash. The gateway enforces the restrictions, because it knows the call. To
 * a caller that does not, which is a gateway of an earlier release, a key with restrictions is unknown.
 */
export function authenticator({
    store,
}: {
    store: KeyStore;
}): (request: AuthenticateRequest, context: CallContext) => Promise<AuthenticateResponse> {
    return async ({ hash, enforces_restrictions }, context) => {
        const key = hash.length === HASH_BYTES ? await store.findByHash(hash, context) : undefined;
        if (!key || key.revoked_at !== null) return UNKNOWN;
        if (key.suspended) return { ...UNKNOWN, gone: false, suspended: true };
        if (!enforces_restrictions && !isFree(key)) return { ...UNKNOWN, gone: false };
        const { key_id, account, tier, expires_at, scopes, allowed, version, bucket } = key;
        return {
            alive: true,
            key_id,
            user_id: account,
            tier,
            rate_limit: rateLimit(tier),
            expires_at_ms: expires_at === null ? undefined : Date.parse(expires_at),
            scope_mask: scopes === null ? undefined : scopeMask(scopes),
            allowed_addresses: [...(allowed ?? [])],
            version,
            bucket,
            gone: false,
            suspended: false,
        };
    };
}

function isFree({ expires_at, scopes, allowed }: Restrictions): boolean {
    return expires_at === null && scopes === null && allowed === null;
}
