import { p256, p256_hasher } from '@noble/curves/nist.js';

/** SHA-256. The library exports it nowhere else. */
export const { hash: sha256 } = p256_hasher.defaults;

/**
 * True if the ES256 signature (r and s, 32 bytes each) is valid. Like the OpenSSL of the service, this accepts both
 * forms that every signature has: s, and the order of the curve minus s.
 */
export function verifyEs256(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
    try {
        return signature.length === 64 && p256.verify(signature, message, publicKey, { lowS: false });
    } catch {
        return false; // the library throws an Error for bytes that are no point of the curve, and for nothing else
    }
}
