/**
 * The scopes that an API key can have. Each endpoint that API keys may call names one of them. Their order is that of
 * the bits of `scope_mask` in keys.v1: a new scope is added at the end, and none is removed.
 */
export const SCOPES = [
    'credentials:issue',
    'credentials:verify',
    'credentials:revoke',
    'credentials:read',
    'dids:create',
    'dids:read',
    'presentations:create',
    'presentations:verify',
    'wallets:create',
    'wallets:open',
    'wallets:write',
    'issuers:read',
    'issuers:manage',
    'events:read',
    'webhooks:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

/** All scopes of a group: `credentials:*`. */
const GROUPS = [...new Set(SCOPES.map((scope) => `${scope.split(':', 1)[0]}:*`))];

/** What a key's list of scopes may contain. */
export const SCOPE_NAMES: readonly string[] = [...SCOPES, ...GROUPS];

export function isScope(text: string): text is Scope {
    return (SCOPES as readonly string[]).includes(text);
}

/** The bit of a scope in a mask. */
function scopeBit(scope: Scope): number {
    return 1 << SCOPES.indexOf(scope);
}

/** The bits of all scopes that these names stand for. Other names stand for none. */
export function scopeMask(names: readonly string[]): number {
    const listed = new Set(names);
    const held = SCOPES.filter((scope) => listed.has(scope) || listed.has(`${scope.split(':', 1)[0]}:*`));
    return held.reduce((mask, scope) => mask | scopeBit(scope), 0) >>> 0;
}

/** True if the mask contains the scope. No mask means no restriction. */
export function hasScope(mask: number | undefined, scope: Scope): boolean {
    return mask === undefined || (mask & scopeBit(scope)) !== 0;
}
