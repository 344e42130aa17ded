import { jsonObjectOf, membersOf, splitJws } from './jws.ts';
import type { DisclosurePrimitives, SdJwtParts } from './sd-jwt.ts';
import { type JwsPrimitives, keyOfDidUrl, keyOfJwk, type VerificationKey, verifyJws } from './verification-key.ts';

/** What the holder of a credential must have signed (RFC 9901, section 4.3). */
export interface Binding {
    /** For whom she shows the credential. */
    audience: string;
    /** The challenge that she got. */
    nonce: string;
    /** Milliseconds since 1970. */
    now: number;
}

/** How old the signature of a holder may be, in seconds: she signs when she is asked. Beyond it: it does not count. */
const MAX_AGE_S = 300;
/** How far the clock of a holder may be ahead, in seconds. Beyond it: her signature does not count. */
export const MAX_AHEAD_S = 60;

/** Returns why the holder's signature does not count; undefined if it does. `cnf` is the member of the payload. */
export function bindingFault(
    { binding: sent }: SdJwtParts,
    { cnf, expected }: { cnf: unknown; expected: Binding | undefined },
    primitives: JwsPrimitives & DisclosurePrimitives,
): string | undefined {
    // RFC 9901, section 4: whoever expects no signature of the holder refuses a token with one, and the reverse.
    if (expected === undefined) return sent && 'The token has a key binding, and nobody has asked for one.';
    if (sent === undefined) return 'The token has no key binding.';
    const key = holderKey(cnf, primitives);
    if (key === undefined) return 'The credential names no key of its holder.';
    const jws = splitJws(sent.jwt, primitives);
    if ('fault' in jws) return `The key binding is not well-formed: ${jws.fault}.`;
    if (jws.typ !== 'kb+jwt') return 'The typ of the key binding is not kb+jwt.';
    if (!verifyJws(jws, key, primitives)) return 'The signature of the key binding is not valid.';
    const payload = jsonObjectOf(jws.payload, primitives) ?? {};
    if (payload['sd_hash'] !== primitives.digest(sent.covered)) return 'The key binding is for another token.';
    if (payload['aud'] !== expected.audience) return 'The key binding is for another audience.';
    if (payload['nonce'] !== expected.nonce) return 'The nonce is not the expected one.';
    const fault = timestampFault(payload, { now: expected.now, maxAge: MAX_AGE_S });
    return fault && `The key binding ${fault}.`;
}

/**
 * Checks iat, nbf and exp of what a holder has signed. Returns what is wrong with them, as the end of a sentence: "is older
 * than 300 seconds", "has expired"; undefined if nothing is. `now` is in milliseconds since 1970. `maxAge` and `tolerance` (of
 * nbf) are in seconds. As for session tokens, exp has no tolerance.
 */
export function timestampFault(
    { iat, nbf, exp }: Record<string, unknown>,
    { now, maxAge, tolerance = 0 }: { now: number; maxAge: number; tolerance?: number },
): string | undefined {
    const seconds = now / 1_000;
    if (typeof iat !== 'number' || iat > seconds + MAX_AHEAD_S) return 'is not valid yet';
    if (iat < seconds - maxAge) return `is older than ${maxAge} seconds`;
    if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + tolerance)) return 'is not valid yet';
    if (exp !== undefined && !(typeof exp === 'number' && exp > seconds)) return 'has expired';
    return undefined;
}

/** Returns the key that `cnf` names (RFC 7800): a JWK, or the URL of the key of a DID that contains it. */
function holderKey(cnf: unknown, primitives: JwsPrimitives): VerificationKey | undefined {
    const { jwk, kid } = membersOf(cnf);
    if (jwk !== undefined) return keyOfJwk(membersOf(jwk), primitives);
    return typeof kid === 'string' ? keyOfDidUrl(kid, primitives) : undefined;
}
