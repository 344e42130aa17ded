declare const kind: unique symbol;

/** 32 bytes that stand for an Ed25519 public key. Only verifying a signature shows whether they are a valid point. */
export type PublicKey = Uint8Array & { readonly [kind]: 'public key' };

/** The did:key method (W3C CCG): multibase `z` is base58btc, 0xed 0x01 is the multicodec of an Ed25519 public key. */
export const DID_KEY_SCHEME = 'did:key:';
export const DID_KEY_MULTICODEC = [0xed, 0x01] as const;
/** The multicodec and the key. */
const DID_KEY_BYTES = 34;
/** 34 bytes that begin with this multicodec have 47 digits in base58, and the first ones are `6Mk`. */
const DID_KEY = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;

/** The values of the base58 digits, by their character codes. */
const DIGITS = new Uint8Array(128);
for (const [value, digit] of [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'].entries()) {
    DIGITS[digit.charCodeAt(0)] = value;
}

/**
 * Returns the key in an Ed25519 did:key; undefined for any other text. Any 32 bytes are accepted, even points of small
 * order, because no signature verifies with those. Each key has exactly one accepted text, because base58 without a
 * leading `1` is plain positional notation.
 */
export function decodeDidKey(did: string): PublicKey | undefined {
    if (!DID_KEY.test(did)) return undefined;
    const bytes = base58Bytes(did.slice(DID_KEY_SCHEME.length + 1), DID_KEY_BYTES);
    if (bytes[0] !== DID_KEY_MULTICODEC[0] || bytes[1] !== DID_KEY_MULTICODEC[1]) return undefined;
    return bytes.slice(DID_KEY_MULTICODEC.length) as PublicKey; // 34 - 2 bytes
}

/**
 * Returns a base58 number as `length` bytes, which must have room for it. The number of digits is odd, that of bytes even:
 * two digits and two bytes at a time take a quarter of the steps.
 */
export function base58Bytes(digits: string, length: number): Uint8Array {
    const words = new Uint16Array(length / 2); // the most significant one first
    words[words.length - 1] = digitAt(digits, 0);
    for (let at = 1; at < digits.length; at += 2) {
        let carry = 58 * digitAt(digits, at) + digitAt(digits, at + 1);
        for (let i = words.length - 1; i >= 0; i--) {
            carry += 58 * 58 * (words[i] ?? 0);
            words[i] = carry; // keeps the low 16 bits
            carry >>>= 16;
        }
    }
    const bytes = new Uint8Array(length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = (words[i >> 1] ?? 0) >> (i % 2 === 0 ? 8 : 0);
    return bytes;
}

function digitAt(digits: string, at: number): number {
    return DIGITS[digits.charCodeAt(at)] ?? 0;
}

/** Maximum length of a DID, in characters. Beyond it: `invalid`. */
const MAX_DID_LENGTH = 2048;
const DID = /^did:[a-z0-9]+:(?:[\w.:-]|%[0-9A-Fa-f]{2})*(?:[\w.-]|%[0-9A-Fa-f]{2})$/;

/** True if the text is a DID of any method (DID Core, section 3.1), without path, query or fragment. */
export function isDid(text: string): boolean {
    return text.length <= MAX_DID_LENGTH && DID.test(text);
}
