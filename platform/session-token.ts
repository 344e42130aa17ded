import { createDecoder, createVerifier } from 'fast-jwt';
import { isId } from './ids.ts';

/** A longer text is no session token and is not looked into; characters. */
const MAX_TOKEN_LENGTH = 4_096;
/** How far ahead of this clock a token may have been issued, and become valid, in seconds. */
const MAX_CLOCK_SKEW_S = 60;

export const SESSION_TOKEN_ALGORITHM = 'EdDSA';

/** An access token authenticates requests; a refresh token is good for a new pair, once. */
export type SessionTokenType = 'access' | 'refresh';

/** What a session token says (RFC 7519): times in whole seconds since 1970. */
export interface SessionClaims {
    /** The account. */
    sub: string;
    email: string;
    /** The tier when the token was issued; rights come from the account as it is now. */
    tier: string;
    iat: number;
    /** Not in the tokens that are made here. */
    nbf?: number;
    exp: number;
    jti: string;
    /** The session. */
    sid: string;
    typ: SessionTokenType;
}

/** A public key that session tokens are checked with, SPKI in PEM. */
export interface SessionKey {
    kid: string;
    public_key: string;
}

export type SessionTokenVerdict =
    | { claims: SessionClaims }
    /** `unknown_key`: signed, if at all, under a `kid` that is not among the keys. `expired`: genuine, but over. */
    | { refused: 'invalid' | 'unknown_key' | 'expired' };

export interface SessionTokenVerifier {
    verify(token: string, typ: SessionTokenType | 'either'): SessionTokenVerdict;
}

/**
 * Checks session tokens by public keys alone: compact JWS (RFC 7515) in its canonical spelling, EdDSA and nothing else, the
 * key chosen by `kid` from `keys`; critical extensions are refused, and keys that a token brings along are not looked at.
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
                // Times are judged below: the library takes a token for alive at its very exp.
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
                const now_s = clock() / 1_000;
                if (Math.max(claims.iat, claims.nbf ?? 0) > now_s + MAX_CLOCK_SKEW_S) return { refused: 'invalid' };
                return claims.exp <= now_s ? { refused: 'expired' } : { claims };
            } catch {
                return { refused: 'invalid' }; // what the library throws: no JSON, a bad signature
            }
        },
    };
}

/** Three segments, each the only base64url spelling of its bytes: Node's decoder alone would let several texts pass for one. */
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
