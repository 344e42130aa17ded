import { base58 } from '@scure/base';
import type { PublicKey } from './ed25519.ts';

/** The did:key method (W3C CCG): multibase `z` is base58btc, 0xed 0x01 is the multicodec of an Ed25519 public key. */
const SCHEME = 'did:key:';
const MULTICODEC = [0xed, 0x01] as const;
/** The multicodec and the key. */
const BYTES = 34;
/** 34 bytes that begin with this multicodec have 47 digits in base58, and the first ones are `6Mk`. */
const DID_KEY = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;

export function encodeDidKey(publicKey: PublicKey): string {
    const bytes = new Uint8Array(BYTES);
    bytes.set(MULTICODEC);
    bytes.set(publicKey, MULTICODEC.length);
    return `${SCHEME}z${base58.encode(bytes)}`;
}

/**
 * Returns the key in an Ed25519 did:key; undefined for any other text. Any 32 bytes are accepted, even points of small
 * order, because no signature verifies with those. Each key has exactly one accepted text, because base58 without a
 * leading `1` is plain positional notation.
 */
export function decodeDidKey(did: string): PublicKey | undefined {
    if (!DID_KEY.test(did)) return undefined;
    const bytes = base58.decode(did.slice(SCHEME.length + 1));
    if (bytes.length !== BYTES || bytes[0] !== MULTICODEC[0] || bytes[1] !== MULTICODEC[1]) return undefined;
    return bytes.slice(MULTICODEC.length) as PublicKey; // 34 - 2 bytes
}

/** Returns the part after `did:key:`, which names the only key of a DID document. */
export function didKeyFragment(did: string): string {
    return did.slice(SCHEME.length);
}

const MAX_DID_LENGTH = 2048;
const DID = /^did:[a-z0-9]+:(?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2})$/;

/** True if the text is a DID of any method (DID Core, section 3.1), without path, query or fragment. */
export function isDid(text: string): boolean {
    return text.length <= MAX_DID_LENGTH && DID.test(text);
}
