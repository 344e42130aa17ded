import { JsonError, parseJson } from '../../platform/json.ts';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { boundedBytes } from './bounded-bytes.ts';
import { verifySignature } from './ed25519.ts';
import { decodeBase64Url, decodeUtf8 } from './primitives.ts';

/**
 * Lists of the IETF's Token Status List (draft-ietf-oauth-status-list): a JWT with one status of 1, 2, 4 or 8 bits for
 * each credential, compressed with zlib.
 */
export interface StatusList {
    /** When the list was issued, until when it may be used, and for how long it may be kept: in seconds, since 1970. */
    issued_at: number;
    expires_at: number;
    ttl: number;
    bits: number;
    /** The statuses; the first one is in the least significant bits of the first byte. */
    statuses: Uint8Array;
}

/** Where the status of a credential stands. The issuer has signed this. */
export interface StatusReference {
    idx: number;
    /** The address of the list. */
    uri: string;
    /** The did:key that signs the list. */
    iss: string;
}

/** Largest list, in bytes, as a token and after decompression: 2^25 statuses of one bit. */
export const MAX_LIST_BYTES = 4 << 20;
const MAX_URI_LENGTH = 2_048;

/** Reads the member `status` of a payload, a JSON text. Undefined if it names no list of this kind. */
export function statusReference(text: string): StatusReference | undefined {
    const { idx, uri, iss } = objectOf(objectOf(JSON.parse(text))['status_list']);
    if (typeof idx !== 'number' || !Number.isSafeInteger(idx) || idx < 0) return undefined;
    if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH) return undefined;
    return typeof iss === 'string' && decodeDidKey(iss) ? { idx, uri, iss } : undefined;
}

/**
 * Reads a status list token. Undefined unless it is the list at the address that the credential names, signed by the
 * key that the credential names, and of at most MAX_LIST_BYTES.
 */
export async function readStatusList(
    token: string,
    { uri, iss }: Pick<StatusReference, 'uri' | 'iss'>,
): Promise<StatusList | undefined> {
    const [head = '', body = '', signature = '', ...more] = token.length > MAX_LIST_BYTES ? [] : token.split('.', 4);
    const header = jsonOf(head);
    if (header['alg'] !== 'EdDSA' || header['typ'] !== 'statuslist+jwt' || 'crit' in header) return undefined;
    const key = decodeDidKey(iss);
    const signed = new TextEncoder().encode(`${head}.${body}`);
    const bytes = decodeBase64Url(signature);
    if (more.length > 0 || !key || !bytes || !verifySignature(bytes, signed, key)) return undefined;
    const payload = jsonOf(body);
    const { iat, exp, ttl = 0 } = payload;
    if (payload['sub'] !== uri || (payload['iss'] ?? iss) !== iss) return undefined;
    if (!isSeconds(iat) || !isSeconds(exp) || !isSeconds(ttl)) return undefined;
    const { bits, lst } = objectOf(payload['status_list']);
    if (typeof bits !== 'number' || ![1, 2, 4, 8].includes(bits) || typeof lst !== 'string') return undefined;
    const statuses = await decompress(lst);
    return statuses && { issued_at: iat, expires_at: exp, ttl, bits, statuses };
}

/** Returns the status at an index; undefined beyond the end of the list. */
export function statusAt({ bits, statuses }: Pick<StatusList, 'bits' | 'statuses'>, idx: number): number | undefined {
    const perByte = 8 / bits;
    const byte = statuses[Math.floor(idx / perByte)];
    return byte === undefined ? undefined : (byte >> ((idx % perByte) * bits)) & ((1 << bits) - 1);
}

/** Returns the bytes of a `lst`: zlib in base64url. Undefined if it is neither, or has more than MAX_LIST_BYTES. */
export async function decompress(lst: string): Promise<Uint8Array | undefined> {
    const compressed = decodeBase64Url(lst);
    if (compressed === undefined) return undefined;
    const inflated = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('deflate'));
    return boundedBytes(inflated, MAX_LIST_BYTES);
}

/** Returns the object that base64url of JSON stands for; an empty one for any other text. */
function jsonOf(segment: string): Record<string, unknown> {
    const bytes = decodeBase64Url(segment);
    const text = bytes && decodeUtf8(bytes);
    try {
        return objectOf(text && parseJson(text, { raw: new Set() }));
    } catch (error) {
        if (error instanceof JsonError) return {};
        throw error;
    }
}

function objectOf(value: unknown): Record<string, unknown> {
    // A parsed JSON object has only string keys.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** True for a time since 1970, or a duration, that a Date can represent. */
function isSeconds(value: unknown): value is number {
    return typeof value === 'number' && value >= 0 && value <= 8.64e12;
}
