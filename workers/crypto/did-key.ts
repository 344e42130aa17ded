import { BYTES, DIGITS, decodeBase58, encodeBase58 } from './base58.ts';
import type { PublicKey } from './ed25519.ts';

/** The did:key method (W3C CCG): multibase `z` is base58btc, 0xed 0x01 is the multicodec of an Ed25519 public key. */
const SCHEME = 'did:key:';
const PREFIX = `${SCHEME}z6Mk`;
const LENGTH = SCHEME.length + 1 + DIGITS;
const MULTICODEC = [0xed, 0x01] as const;

export function encodeDidKey(public_key: PublicKey): string {
    const bytes = new Uint8Array(BYTES);
    bytes.set(MULTICODEC);
    bytes.set(public_key, MULTICODEC.length);
    return `${SCHEME}z${encodeBase58(bytes)}`;
}

/**
 * The key in an Ed25519 did:key; undefined for any other text. Any 32 bytes are valid here, even points of small order:
 * no signature verifies with those. Each key has exactly one accepted text, because base58 without a leading `1` is
 * plain positional notation.
 */
export function decodeDidKey(did: string): PublicKey | undefined {
    if (did.length !== LENGTH || !did.startsWith(PREFIX)) return undefined;
    const bytes = decodeBase58(did, LENGTH - DIGITS);
    if (bytes === undefined || bytes[0] !== MULTICODEC[0] || bytes[1] !== MULTICODEC[1]) return undefined;
    return bytes.slice(MULTICODEC.length) as PublicKey; // 34 - 2 bytes
}

/** The part after `did:key:`, which names the only key of a DID document. */
export function didKeyFragment(did: string): string {
    return did.slice(SCHEME.length);
}

const MAX_DID_LENGTH = 2048;
const DID = /^did:[a-z0-9]+:(?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2})$/;

/** True if the text is a DID of any method (DID Core, section 3.1), without path, query or fragment. */
export function isDid(text: string): boolean {
    return text.length <= MAX_DID_LENGTH && DID.test(text);
}
