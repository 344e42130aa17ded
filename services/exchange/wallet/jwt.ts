import { ALGORITHMS_BY_NAME, type JwsAlgorithm, jsonObjectOf, partsOf } from '../../../tokens/jws.ts';
import * as ed25519 from '../../../workers/crypto/ed25519.ts';
import * as es256 from '../../../workers/crypto/es256.ts';
import type { HolderKey } from '../../../workers/crypto/holder-key.ts';
import { PRIMITIVES } from '../../../workers/crypto/primitives.ts';

/*
 * The JWTs that wallets sign with their own keys: proofs of possession and DPoP proofs. Each says in its header with which
 * key it is signed, unlike the tokens that issuers sign (tokens/).
 */

interface Jwt {
    alg: JwsAlgorithm;
    header: Record<string, unknown>;
    payload: Record<string, unknown>;
    /** Nobody has verified it yet. */
    signature: Uint8Array;
    /** The bytes that the signature covers. */
    signed: Uint8Array;
}

/** Maximum length of a JWT of a wallet, in characters. Beyond it: it is not acceptable. */
export const MAX_JWT_LENGTH = 8_192;

/** Splits a JWT of this type; undefined if it is none, or has extensions that must be understood. */
export function splitJwt(token: string, typ: string): Jwt | undefined {
    const parts = token.length <= MAX_JWT_LENGTH ? partsOf(token, PRIMITIVES) : undefined;
    const header = jsonObjectOf(parts?.header, PRIMITIVES);
    const payload = jsonObjectOf(parts?.payload, PRIMITIVES);
    const alg = ALGORITHMS_BY_NAME.get(header?.['alg']);
    if (!parts || !header || !payload || !alg) return undefined;
    if (header['typ'] !== typ || 'crit' in header || 'b64' in header) return undefined;
    return { alg, header, payload, signature: parts.signature, signed: parts.signed };
}

/** True if the key, whose alg is that of the JWT, has signed it. It is verified in a thread of libuv. */
export function hasSignature({ signed, signature }: Jwt, key: HolderKey): Promise<boolean> {
    return key.alg === 'ES256'
        ? es256.hasSigned(signature, signed, key.jwk)
        : ed25519.hasSigned(signature, signed, key.key);
}
