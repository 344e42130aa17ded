import { JsonError, parseJson } from '../platform/json.ts';
import type { TokenPrimitives } from './v4-public.ts';

/**
 * JSON Web Signatures in their compact form (RFC 7515), as SD-JWTs and status lists are signed.
 *
 * The key of a signature is the one that the DID of its signer names, and nothing in the token may say otherwise: a
 * header that brings a key or an address of one (`jwk`, `jku`, `x5c`, `x5u`) is refused, not ignored. So no two verifiers
 * take the same token for signed by different keys. Other members that nobody here knows are ignored, as RFC 7515,
 * section 4, wants it.
 */
export type JwsAlgorithm = 'EdDSA' | 'ES256';

/** The parts of a token, decoded. Nobody has verified its signature yet. */
interface JwsParts {
    header: Uint8Array;
    payload: Uint8Array;
    signature: Uint8Array;
    /** The bytes that the signature covers. */
    signed: Uint8Array;
}

export interface Jws extends Omit<JwsParts, 'header'> {
    alg: JwsAlgorithm;
    typ: string | undefined;
    kid: string | undefined;
}

/** The names of the algorithms. RFC 9864 names EdDSA with an Ed25519 key `Ed25519`. Both are read, EdDSA is written. */
export const ALGORITHMS_BY_NAME: ReadonlyMap<unknown, JwsAlgorithm> = new Map<unknown, JwsAlgorithm>([
    ['EdDSA', 'EdDSA'],
    ['Ed25519', 'EdDSA'],
    ['ES256', 'ES256'],
]);
/** Members of a header that change what a signature means, or with which key it is verified. */
const REFUSED = ['crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u', 'x5t', 'x5t#S256'] as const;
/** Maximum length of a header, in bytes. Beyond it: the token is not well-formed. */
const MAX_HEADER_BYTES = 3_072;

type Decoders = Pick<TokenPrimitives, 'decodeBase64Url' | 'decodeUtf8'>;

/** Splits a token and reads its header. `fault` may be shown to callers. The caller bounds the length of the token. */
export function splitJws(token: string, primitives: Decoders): Jws | { fault: string } {
    const parts = partsOf(token, primitives);
    const isHeader = parts !== undefined && parts.header.length <= MAX_HEADER_BYTES;
    const header = isHeader ? jsonObjectOf(parts.header, primitives) : undefined;
    if (parts === undefined || header === undefined) {
        return { fault: 'it is not three parts in base64url, or its header is not acceptable JSON' };
    }
    const { typ, kid } = header;
    const alg = ALGORITHMS_BY_NAME.get(header['alg']);
    if (alg === undefined) return { fault: 'its alg is not EdDSA, Ed25519 or ES256' };
    const refused = REFUSED.find((name) => Object.hasOwn(header, name));
    if (refused !== undefined) return { fault: `its header has the member ${refused}` };
    if (!isTextIfAny(typ) || !isTextIfAny(kid)) return { fault: 'its typ or its kid is not a text' };
    const { payload, signature, signed } = parts;
    return { alg, typ, kid, payload, signature, signed };
}

/** Returns the parts of a token; undefined if they are not three in base64url. The caller bounds the length of the token. */
export function partsOf(
    token: string,
    { decodeBase64Url }: Pick<TokenPrimitives, 'decodeBase64Url'>,
): JwsParts | undefined {
    const texts = token.split('.', 4);
    const [header, payload, signature] = texts.map(decodeBase64Url);
    if (texts.length !== 3 || !header || !payload || !signature) return undefined;
    return { header, payload, signature, signed: new TextEncoder().encode(token.slice(0, token.lastIndexOf('.'))) };
}

/** Returns the JSON object in bytes; undefined if they are none that platform/json accepts. */
export function jsonObjectOf(
    bytes: Uint8Array | undefined,
    { decodeUtf8 }: Pick<TokenPrimitives, 'decodeUtf8'>,
): Record<string, unknown> | undefined {
    const value = jsonOf(bytes, { decodeUtf8 });
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // a parsed object has only string keys
}

/** Returns the JSON value in bytes; undefined if they are none that platform/json accepts. */
export function jsonOf(bytes: Uint8Array | undefined, { decodeUtf8 }: Pick<TokenPrimitives, 'decodeUtf8'>): unknown {
    const text = bytes && decodeUtf8(bytes);
    if (text === undefined) return undefined;
    try {
        return parseJson(text, { raw: new Set() });
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}

/** Returns the members of an object; none of any other value. */
export function membersOf(value: unknown): Record<string, unknown> {
    // A parsed JSON object has only string keys.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isTextIfAny(value: unknown): value is string | undefined {
    return value === undefined || typeof value === 'string';
}
