import { base58Bytes, DID_KEY_SCHEME } from './did-key.ts';

declare const kind: unique symbol;

/**
 * 33 bytes that stand for a P-256 public key: 0x02 or 0x03, then x (SEC 1, section 2.3.3). Only verifying a signature
 * shows whether the curve has such a point.
 */
export type P256PublicKey = Uint8Array & { readonly [kind]: 'P-256 public key' };

/** The varint of 0x1200, the multicodec of a compressed P-256 public key. */
export const P256_MULTICODEC = [0x80, 0x24] as const;
/** The multicodec and the key. */
const P256_DID_KEY_BYTES = 35;
/** 35 bytes that begin with this multicodec, and 0x02 or 0x03, have 48 digits in base58. The first ones are `Dnae`. */
const P256_DID_KEY = /^did:key:zDnae[1-9A-HJ-NP-Za-km-z]{44}$/;

/**
 * Returns the key in a P-256 did:key; undefined for any other text. Each key has exactly one accepted text, as in
 * decodeDidKey().
 */
export function decodeP256DidKey(did: string): P256PublicKey | undefined {
    if (!P256_DID_KEY.test(did)) return undefined;
    // A leading zero in either base makes the number of digits odd, and that of bytes even.
    const bytes = base58Bytes(`1${did.slice(DID_KEY_SCHEME.length + 1)}`, 1 + P256_DID_KEY_BYTES);
    const [, first, second, form] = bytes;
    if (first !== P256_MULTICODEC[0] || second !== P256_MULTICODEC[1] || (form !== 0x02 && form !== 0x03)) {
        return undefined;
    }
    return bytes.slice(1 + P256_MULTICODEC.length) as P256PublicKey; // 36 - 3 bytes
}
