declare const kind: unique symbol;

/** 32 bytes that stand for an Ed25519 public key. Only verifying a signature shows whether they are a valid point. */
export type PublicKey = Uint8Array & { readonly [kind]: 'public key' };

/** The did:key method (W3C CCG): multibase `z` is base58btc, 0xed 0x01 is the multicodec of an Ed25519 public key. */
export const DID_KEY_SCHEME = 'did:key:';
export const DID_KEY_MULTICODEC = [0xed, 0x01] as const;
/** The multicodec and the key. */
export const DID_KEY_BYTES = 34;
/** 34 bytes that begin with this multicodec have 47 digits in base58, and the first ones are `6Mk`. */
const DID_KEY = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Returns the key in an Ed25519 did:key; undefined for any other text. Any 32 bytes are accepted, even points of small
 * order, because no signature verifies with those. Each key has exactly one accepted text, because base58 without a
 * leading `1` is plain positional notation.
 */
export function decodeDidKey(did: string): PublicKey | undefined {
    if (!DID_KEY.test(did)) return undefined;
    const bytes = bytesOf(did.slice(DID_KEY_SCHEME.length + 1));
    if (bytes[0] !== DID_KEY_MULTICODEC[0] || bytes[1] !== DID_KEY_MULTICODEC[1]) return undefined;
    return bytes.slice(DID_KEY_MULTICODEC.length) as PublicKey; // 34 - 2 bytes
}

/** Returns the DID_KEY_BYTES of a base58 number. The greatest number that DID_KEY matches fits into them. */
function bytesOf(digits: string): Uint8Array {
    const bytes = new Uint8Array(DID_KEY_BYTES);
    for (let at = 0; at < digits.length; at++) {
        let carry = BASE58.indexOf(digits.charAt(at));
        for (let i = DID_KEY_BYTES - 1; i >= 0; i--) {
            carry += 58 * (bytes[i] ?? 0);
            bytes[i] = carry; // keeps the low 8 bits
            carry >>= 8;
        }
    }
    return bytes;
}

const MAX_DID_LENGTH = 2048;
const DID = /^did:[a-z0-9]+:(?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2})$/;

/** True if the text is a DID of any method (DID Core, section 3.1), without path, query or fragment. */
export function isDid(text: string): boolean {
    return text.length <= MAX_DID_LENGTH && DID.test(text);
}
