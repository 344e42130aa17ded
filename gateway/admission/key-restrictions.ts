import { networkList } from '../../platform/access/networks.ts';
import type { AuthenticateResponse } from '../../proto/gen/keys/v1/keys.ts';

/** When an API key ends, and from where it may be used. Its scopes are those of its principal. */
export interface KeyRestrictions {
    /** Milliseconds since 1970. */
    expiresAtMs: number | undefined;
    /** Whether the key may be used from this IP address. Undefined: from every address. */
    allows: ((ip: string) => boolean) | undefined;
}

/** Why a call with an active key is refused before it is counted for the key. */
export type Misuse = 'expired' | 'address';

/** Undefined if the key neither ends nor is bound to addresses. */
export function restrictionsOf({
    expires_at_ms,
    allowed_addresses,
}: AuthenticateResponse): KeyRestrictions | undefined {
    if (expires_at_ms === undefined && allowed_addresses.length === 0) return undefined;
    return {
        expiresAtMs: expires_at_ms,
        allows: allowed_addresses.length === 0 ? undefined : networkList(allowed_addresses),
    };
}

/** `now` in milliseconds since 1970. */
export function misuseOf(
    { expiresAtMs, allows }: KeyRestrictions,
    { ip, now }: { ip: string; now: number },
): Misuse | undefined {
    if (expiresAtMs !== undefined && now >= expiresAtMs) return 'expired';
    return allows === undefined || allows(ip) ? undefined : 'address';
}
