import { jsonObjectOf, membersOf, splitJws } from '../../tokens/jws.ts';
import { readStatusReference, type StatusReference } from '../../tokens/status-reference.ts';
import { keyOf, verifyJws } from '../../tokens/verification-key.ts';
import { boundedBytes } from './bounded-bytes.ts';
import { decodeBase64Url, PRIMITIVES } from './primitives.ts';

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
    /** The key that signed it, if its signer is a did:web. Nothing here has checked that it is a key of the signer. */
    kid: string | undefined;
    /** The statuses; the first one is in the least significant bits of the first byte. */
    statuses: Uint8Array;
}

/** A list, and who signs it. */
export interface ListReference {
    /** The address of the list. */
    uri: string;
    /** The DID that signs the list. */
    iss: string;
    /** True if the list must say with which key of this DID it is signed. A did:key that stands for itself need not. */
    byKid?: boolean;
}

/** Largest list, in bytes, as a token and after decompression: 2^25 statuses of one bit. */
export const MAX_LIST_BYTES = 4 << 20;

/** Reads the member `status` of a v4.public token, a JSON text. Undefined if it names no list of this kind. */
export function statusReference(text: string): StatusReference | undefined {
    const reference = readStatusReference(JSON.parse(text));
    return reference?.iss === undefined ? undefined : reference;
}

/**
 * Reads a status list token. Undefined unless it is the list at the address that the credential names, signed by the
 * DID that the credential names, and of at most MAX_LIST_BYTES.
 */
export async function readStatusList(
    token: string,
    { uri, iss, byKid }: ListReference,
): Promise<StatusList | undefined> {
    const jws = token.length > MAX_LIST_BYTES ? undefined : splitJws(token, PRIMITIVES);
    if (jws === undefined || 'fault' in jws || jws.typ !== 'statuslist+jwt') return undefined;
    const signer = keyOf(iss, byKid ? jws.kid : undefined, PRIMITIVES);
    if (signer === undefined || !verifyJws(jws, signer.key, PRIMITIVES)) return undefined;
    const payload = jsonObjectOf(jws.payload, PRIMITIVES) ?? {};
    const { iat, exp, ttl = 0 } = payload;
    if (payload['sub'] !== uri || (payload['iss'] ?? iss) !== iss) return undefined;
    if (!isSeconds(iat) || !isSeconds(exp) || !isSeconds(ttl)) return undefined;
    const { bits, lst } = membersOf(payload['status_list']);
    if (typeof bits !== 'number' || ![1, 2, 4, 8].includes(bits) || typeof lst !== 'string') return undefined;
    const statuses = await decompress(lst);
    return statuses && { issued_at: iat, expires_at: exp, ttl, bits, statuses, kid: signer.name };
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

/** True for a time since 1970, or a duration, that a Date can represent. */
function isSeconds(value: unknown): value is number {
    return typeof value === 'number' && value >= 0 && value <= 8.64e12;
}
