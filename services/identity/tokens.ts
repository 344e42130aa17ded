import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import {
    SESSION_TOKEN_ALGORITHM,
    type SessionClaims,
    type SessionKey,
    type SessionTokenType,
    type SessionTokenVerifier,
    sessionTokenVerifier,
} from '../../platform/access/session-token.ts';

interface TokenSubject {
    user_id: string;
    email: string;
    tier: string;
    session_id: string;
}

/** Both tokens of a session. Times are ISO 8601 in UTC, in whole seconds. */
interface TokenPair {
    token: string;
    refresh_token: string;
    /** The access token's exp. */
    expires_at: string;
    /** The refresh token's jti. */
    refresh_id: string;
    /** The later exp of the two tokens. */
    session_expires_at: string;
}

export interface SessionIssuer extends SessionTokenVerifier {
    issue(subject: TokenSubject): TokenPair;
    /** The public keys with which gateways verify tokens. */
    signingKeys: readonly SessionKey[];
}

/** Issues and verifies session tokens (JWT, EdDSA with Ed25519). Throws if `keysPem` contains no usable key. */
export function tokens({
    keysPem,
    accessSeconds,
    refreshSeconds,
    clock,
}: {
    /** Private keys (PKCS#8 in PEM), concatenated. The first one signs tokens; each of them verifies tokens. */
    keysPem: string;
    accessSeconds: number;
    refreshSeconds: number;
    /** Milliseconds since 1970. */
    clock: () => number;
}): SessionIssuer {
    const privateKeys = readKeys(keysPem);
    const signingKeys = privateKeys.map(publicHalf);
    const signs = {
        key: privateKeys[0].export({ type: 'pkcs8', format: 'pem' }),
        kid: signingKeys[0]?.kid, // there is one for each private key
        algorithm: SESSION_TOKEN_ALGORITHM,
    } as const;
    const sign = createSigner<SessionClaims>(signs);
    const lifetimes = { access: accessSeconds, refresh: refreshSeconds };

    return {
        ...sessionTokenVerifier({ keys: signingKeys, clock }),
        signingKeys,
        issue({ user_id, email, tier, session_id }) {
            const iat = Math.floor(clock() / 1_000);
            const claimsOf = (typ: SessionTokenType): SessionClaims => ({
                sub: user_id,
                email,
                tier,
                iat,
                exp: iat + lifetimes[typ],
                jti: randomUUID(),
                sid: session_id,
                typ,
            });
            const access = claimsOf('access');
            const refresh = claimsOf('refresh');
            return {
                token: sign(access),
                refresh_token: sign(refresh),
                expires_at: isoTime(access.exp),
                refresh_id: refresh.jti,
                session_expires_at: isoTime(Math.max(access.exp, refresh.exp)),
            };
        },
    };
}

function isoTime(seconds: number): string {
    return new Date(seconds * 1_000).toISOString();
}

const NO_KEYS = 'JWT_KEYS must hold Ed25519 keys (PKCS#8 in PEM), one after another.';

function readKey(pem: string): KeyObject {
    try {
        return createPrivateKey(pem);
    } catch {
        throw new Error(NO_KEYS);
    }
}

function readKeys(keysPem: string): [KeyObject, ...KeyObject[]] {
    const blocks = keysPem.match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/g) ?? [];
    const [first, ...others] = blocks.map(readKey);
    if (!first) throw new Error(NO_KEYS);
    const keys: [KeyObject, ...KeyObject[]] = [first, ...others];
    if (keys.some((key) => key.asymmetricKeyType !== 'ed25519')) {
        throw new Error(NO_KEYS);
    }
    return keys;
}

/** The kid is the SHA-256 of the public key's SPKI form, in base64url. */
function publicHalf(privateKey: KeyObject): SessionKey {
    const key = createPublicKey(privateKey);
    const kid = createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('base64url');
    return { kid, public_key: key.export({ type: 'spki', format: 'pem' }).toString() };
}
