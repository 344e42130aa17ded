import { ed25519, ed25519_hasher } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, concatBytes, equalBytes } from '@noble/curves/utils.js';

const { Point } = ed25519;
const { Fn: scalars } = Point;
/** SHA-512. The library exports it nowhere else. */
const { hash: sha512 } = ed25519_hasher.defaults;

/**
 * True if libsodium accepts the signature. Unlike `ed25519.verify()`, and like the libsodium of the service, this
 * compares without the cofactor: the point that key and message give must be R itself, and not R plus a point of small
 * order. So both agree about keys and signatures outside of the main subgroup, too.
 */
export function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
    if (signature.length !== 64) return false;
    const key = pointOf(publicKey);
    const s = bytesToNumberLE(signature.subarray(32));
    if (key === undefined || key.isSmallOrder() || !scalars.isValid(s)) return false;
    const r = signature.subarray(0, 32);
    const challenge = scalars.create(bytesToNumberLE(sha512(concatBytes(r, publicKey, message))));
    const expected = Point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(challenge));
    return !expected.isSmallOrder() && equalBytes(expected.toBytes(), r);
}

/** Returns the point that 32 bytes encode. Undefined if there is none, or if they are a second encoding of a point. */
function pointOf(bytes: Uint8Array): InstanceType<typeof Point> | undefined {
    try {
        return Point.fromBytes(bytes);
    } catch {
        return undefined; // the library throws an Error for every such text, and nothing else
    }
}
