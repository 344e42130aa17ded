import { isUtf8 } from 'node:buffer';
import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeBase64Url } from '../../../platform/base64.ts';
import { JsonError, parseJson } from '../../../platform/json.ts';
import { JWS_ALGORITHMS, type JwsAlgorithm } from '../../../tokens/jws.ts';

/*
 * The JWTs that wallets sign with their own keys: proofs of possession and DPoP proofs. Each says in its header with which
 * key it is signed, unlike the tokens that issuers sign (tokens/).
 */

export interface Jwt {
    alg: JwsAlgorithm;
    header: Record<string, unknown>;
    payload: Record<string, unknown>;
    /** Nobody has verified it yet. */
    signature: Buffer;
    /** The text that the signature covers. */
    signed: string;
}

/** Maximum length of a JWT of a wallet, in characters. Beyond it: it is not acceptable. */
const MAX_LENGTH = 8_192;

/** Splits a JWT of this type; undefined if it is none, or has extensions that must be understood. */
export function splitJwt(token: string, typ: string): Jwt | undefined {
    const parts = token.length <= MAX_LENGTH ? token.split('.', 4) : [];
    const [head = '', body = '', tail = ''] = parts;
    const header = objectIn(head);
    const payload = objectIn(body);
    const signature = decodeBase64Url(tail);
    const alg = JWS_ALGORITHMS.get(header?.['alg']);
    if (parts.length !== 3 || !header || !payload || !signature || !alg) return undefined;
    if (header['typ'] !== typ || 'crit' in header || 'b64' in header) return undefined;
    return { alg, header, payload, signature, signed: `${head}.${body}` };
}

function objectIn(part: string): Record<string, unknown> | undefined {
    const bytes = decodeBase64Url(part);
    if (!bytes || !isUtf8(bytes)) return undefined;
    try {
        const value = parseJson(bytes.toString('utf8'), { raw: new Set() });
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        return isObject ? (value as Record<string, unknown>) : undefined; // a parsed object has only string keys
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}

const verifyInThread = promisify(verify);

/** True if the key has signed the JWT. It is verified in a thread of libuv. */
export function hasSignature({ alg, signed, signature }: Jwt, key: KeyObject): Promise<boolean> {
    const digest = alg === 'ES256' ? 'sha256' : null;
    return verifyInThread(digest, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature);
}
