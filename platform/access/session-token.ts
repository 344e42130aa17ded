import { createDecoder, createVerifier } from 'fast-jwt';
import { isId } from '../uuid.ts';

/** Maximum length of a session token, in characters. Beyond it: 401, and the text is not parsed. */
const MAX_TOKEN_LENGTH = 4_096;
/** How far in the future a token's `iat` and `nbf` may be, in seconds, by this clock. */
const MAX_CLOCK_SKEW_S = 60;

export const SESSION_TOKEN_ALGORITHM = 'EdDSA';

/** An access token authenticates requests. A refresh token is exchanged for a new pair, once. */
export type SessionTokenType = 'access' | 'refresh';

/** The claims of a session token (RFC 7519). Times are whole seconds since 1970. */
export interface SessionClaims {
    /** The account. */
    sub: string;
    email: string;
    /** The tier when the token was issued. Rights come from the account's current tier. */
    tier: string;
    iat: number;
    /** This service issues tokens without it. */
    nbf?: number;
    exp: number;
    jti: string;
    /** The session. */
    sid: string;
    typ: SessionTokenType;
}

/** A public key that verifies session tokens, SPKI in PEM. */
export interface SessionKey {
    kid: string;
    public_key: string;
}

type SessionTokenVerdict =
    | { claims: SessionClaims }
    /** `unknown_key`: no key has its `kid`. `expired`: the signature is valid, but `exp` has passed. */
    | { refused: 'invalid' | 'unknown_key' | 'expired' };

export interface SessionTokenVerifier {
    verify(token: string, typ: SessionTokenType | 'either'): SessionTokenVerdict;
}

/**
 * Creates a verifier of session tokens. It accepts compact JWS (RFC 7515) in canonical spelling, with EdDSA only. It
 * chooses the key from `keys` by `kid`, refuses critical extensions, and ignores keys inside tokens.
 */
export function sessionTokenVerifier({
    keys,
    clock,
}: {
    keys: readonly SessionKey[];
    /** Milliseconds since 1970. */
    clock: () => number;
}): SessionTokenVerifier {
    const decode = createDecoder({ complete: true });
    const checks = new Map(
        keys.map(({ kid, public_key }) => [
            kid,
            createVerifier({
                key: public_key,
                algorithms: [SESSION_TOKEN_ALGORITHM],
                // verify() checks the times itself: the library accepts a token at its exact `exp`.
                ignoreExpiration: true,
                ignoreNotBefore: true,
            }),
        ]),
    );

    return {
        verify(token, typ) {
            if (!isCanonical(token)) return { refused: 'invalid' };
            try {
                const { header } = decode(token);
                if ('crit' in header) return { refused: 'invalid' };
                const check = checks.get(header.kid);
                if (!check) return { refused: 'unknown_key' };
                const claims: unknown = check(token);
                if (!isSessionClaims(claims)) return { refused: 'invalid' };
                if (typ !== 'either' && claims.typ !== typ) return { refused: 'invalid' };
                const nowS = clock() / 1_000;
                if (Math.max(claims.iat, claims.nbf ?? 0) > nowS + MAX_CLOCK_SKEW_S) return { refused: 'invalid' };
                return claims.exp <= nowS ? { refused: 'expired' } : { claims };
            } catch {
                return { refused: 'invalid' }; // the library throws for invalid JSON or a wrong signature
            }
        },
    };
}

/**
 * True if the token has three segments, each in the canonical base64url spelling of its bytes. Node's decoder also
 * accepts other spellings, so several texts would be the same token.
 */
function isCanonical(token: string): boolean {
    if (token.length > MAX_TOKEN_LENGTH) return false;
    const segments = token.split('.');
    return (
        segments.length === 3 &&
        segments.every(
            (segment) => segment !== '' && Buffer.from(segment, 'base64url').toString('base64url') === segment,
        )
    );
}

function isSessionClaims(value: unknown): value is SessionClaims {
    // The library refuses payloads that are not objects.
    const { sub, email, tier, iat, nbf, exp, jti, sid, typ } = value as Record<string, unknown>;
    return (
        [sub, jti, sid].every((id) => typeof id === 'string' && isId(id)) &&
        [iat, exp].every(Number.isSafeInteger) &&
        (nbf === undefined || Number.isSafeInteger(nbf)) &&
        typeof email === 'string' &&
        typeof tier === 'string' &&
        (typ === 'access' || typ === 'refresh')
    );
}
