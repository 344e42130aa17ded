import { verify } from 'node:crypto';
import { promisify } from 'node:util';
import { ALGORITHMS_BY_NAME, type JwsAlgorithm, jsonObjectOf, partsOf } from '../../../tokens/jws.ts';
import type { VerificationKey } from '../../../tokens/verification-key.ts';
import { hasSigned } from '../../../workers/crypto/es256.ts';
import { PRIMITIVES } from '../../../workers/crypto/primitives.ts';

/*
 * The JWTs that wallets sign with their own keys: proofs of possession and DPoP proofs. Each says in its header with which
 * key it is signed, unlike the tokens that issuers sign (tokens/).
 */

export interface Jwt {
    alg: JwsAlgorithm;
    header: Record<string, unknown>;
    payload: Record<string, unknown>;
    /** Nobody has verified it yet. */
    signature: Uint8Array;
    /** The bytes that the signature covers. */
    signed: Uint8Array;
}

/** Maximum length of a JWT of a wallet, in characters. Beyond it: it is not acceptable. */
const MAX_LENGTH = 8_192;

/** What stands before a key of Ed25519 in a SubjectPublicKeyInfo (RFC 8410, section 4). */
const BEFORE_ED25519_KEY = Buffer.from('302a300506032b6570032100', 'hex');

/** Splits a JWT of this type; undefined if it is none, or has extensions that must be understood. */
export function splitJwt(token: string, typ: string): Jwt | undefined {
    const parts = token.length <= MAX_LENGTH ? partsOf(token, PRIMITIVES) : undefined;
    const header = jsonObjectOf(parts?.header, PRIMITIVES);
    const payload = jsonObjectOf(parts?.payload, PRIMITIVES);
    const alg = ALGORITHMS_BY_NAME.get(header?.['alg']);
    if (!parts || !header || !payload || !alg) return undefined;
    if (header['typ'] !== typ || 'crit' in header || 'b64' in header) return undefined;
    return { alg, header, payload, signature: parts.signature, signed: parts.signed };
}

const verifyEd25519 = promisify(verify);

/** True if the key has signed the JWT. It is verified in a thread of libuv. */
export function hasSignature({ signed, signature }: Jwt, key: VerificationKey): Promise<boolean> {
    if (key.alg === 'ES256') return hasSigned(signature, signed, key.key);
    const publicKey = Buffer.concat([BEFORE_ED25519_KEY, key.key]).toString('base64');
    const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`; // Node reads no form faster
    return verifyEd25519(null, signed, pem, signature);
}
