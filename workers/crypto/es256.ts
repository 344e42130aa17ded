import {
    createECDH,
    createPrivateKey,
    ECDH,
    type KeyObject,
    sign as signWith,
    verify as verifyWith,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { P256PublicKey } from '../../tokens/p256-did-key.ts';
import { publicKeyPem } from './public-key-pem.ts';

declare const kind: unique symbol;

export type { P256PublicKey };

/** The 32-byte secret of a P-256 key pair: a number below the order of the curve, big-endian (SEC 1, section 2.3.7). */
export type P256Secret = Uint8Array & { readonly [kind]: 'P-256 secret' };

export interface P256KeyPair {
    public_key: P256PublicKey;
    secret: P256Secret;
}

const CURVE = 'prime256v1';
const KEY_BYTES = 32;
/** A signature of ES256 is r and s, 32 bytes each (RFC 7518, section 3.4). */
const SIGNATURE_BYTES = 64;

/** What stands before the secret and before the point in an ECPrivateKey in DER (RFC 5915, section 3). */
const BEFORE_SECRET = Buffer.from('30770201010420', 'hex');
const BEFORE_POINT = Buffer.from('a00a06082a8648ce3d030107a144034200', 'hex');
/** What stands before a public key in a SubjectPublicKeyInfo (RFC 5480, section 2): before a compressed one, and before x and y. */
const BEFORE_PUBLIC_KEY = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
const BEFORE_COORDINATES = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');

export function generateKeyPair(): P256KeyPair {
    const pair = createECDH(CURVE);
    pair.generateKeys();
    const number = pair.getPrivateKey(); // without leading zeros
    const secret = new Uint8Array(KEY_BYTES) as P256Secret; // 32 bytes, filled below
    secret.set(number, KEY_BYTES - number.length);
    number.fill(0);
    return { public_key: publicKeyBytes(pair.getPublicKey(null, 'compressed')), secret };
}

/** Throws an Error if the bytes are not the secret of a P-256 key. */
export function publicKeyOf(secret: P256Secret): P256PublicKey {
    return publicKeyBytes(pairOf(secret).getPublicKey(null, 'compressed'));
}

/**
 * Returns the key with which sign() signs. OpenSSL holds it, and wipes it when every thread that has used it has collected
 * its reference. To make a key takes as long as three signatures, so the caller keeps it. Throws an Error if the bytes
 * are not the secret of a P-256 key.
 */
export function signingKeyOf(secret: P256Secret): KeyObject {
    const point = pairOf(secret).getPublicKey(null, 'uncompressed');
    const key = Buffer.concat([BEFORE_SECRET, secret, BEFORE_POINT, point]);
    try {
        return createPrivateKey({ key, format: 'der', type: 'sec1' });
    } finally {
        key.fill(0);
    }
}

function pairOf(secret: P256Secret): ECDH {
    const pair = createECDH(CURVE);
    pair.setPrivateKey(secret);
    return pair;
}

function publicKeyBytes(point: Buffer): P256PublicKey {
    return new Uint8Array(point) as P256PublicKey; // 33 bytes, as asked for
}

/** Returns the coordinates of the point, 32 bytes each. Throws an Error if the curve has no such point. */
export function pointOf(publicKey: P256PublicKey): { x: Uint8Array; y: Uint8Array } {
    const point = ECDH.convertKey(publicKey, CURVE, undefined, undefined, 'uncompressed') as Buffer; // no encoding
    return { x: new Uint8Array(point.subarray(1, 1 + KEY_BYTES)), y: new Uint8Array(point.subarray(1 + KEY_BYTES)) };
}

/** Signs with ECDSA on P-256 and SHA-256. Signatures of one message differ. */
export function sign(message: Uint8Array, signingKey: KeyObject): Uint8Array {
    return numbersOf(signWith('sha256', message, signingKey));
}

/** The r and s of a signature in DER, 32 bytes each. */
function numbersOf(der: Buffer): Uint8Array {
    const numbers = new Uint8Array(SIGNATURE_BYTES);
    let at = 2; // of the head of the sequence
    for (const end of [KEY_BYTES, SIGNATURE_BYTES]) {
        const length = der[at + 1] ?? 0;
        // A number has up to 32 bytes, and a zero before them if the first of them is not below 128.
        const number = der.subarray(at + 2 + Math.max(0, length - KEY_BYTES), at + 2 + length);
        numbers.set(number, end - number.length);
        at += 2 + length;
    }
    return numbers;
}

/**
 * True if the signature is valid. False if it has another length, or if the key is no point of the curve. A second
 * signature can be computed from each valid one (n - s), so a signature names nothing. The key is PEM and the signature DER,
 * which takes a third less: Node 24 finds out with exceptions that an object with options is no KeyObject.
 */
export function verify(signature: Uint8Array, message: Uint8Array, publicKey: P256PublicKey): boolean {
    if (signature.length !== SIGNATURE_BYTES) return false;
    try {
        return verifyWith('sha256', message, publicKeyPem(BEFORE_PUBLIC_KEY, publicKey), derOf(signature));
    } catch {
        return false; // the key cannot be read
    }
}

const verifyInThread = promisify(verifyWith);

/**
 * Like verify(), in a thread of libuv, for the coordinates of a point of the curve, in base64url. To compute y takes a fifth
 * of the time of a verification.
 */
export async function hasSigned(
    signature: Uint8Array,
    message: Uint8Array,
    { x, y }: { x: string; y: string },
): Promise<boolean> {
    if (signature.length !== SIGNATURE_BYTES) return false;
    const coordinates = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    return verifyInThread('sha256', message, publicKeyPem(BEFORE_COORDINATES, coordinates), derOf(signature));
}

/** The sequence of r and s in DER (RFC 3279, section 2.2.3). Both are shorter than 128 bytes. */
function derOf(signature: Uint8Array): Buffer {
    const numbers = [integerOf(signature.subarray(0, KEY_BYTES)), integerOf(signature.subarray(KEY_BYTES))];
    const content = Buffer.concat(numbers);
    return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

/** A non-negative integer in DER: in as few bytes as it needs, the first of which is below 128. */
function integerOf(bytes: Uint8Array): Buffer {
    const start = bytes.findIndex((byte) => byte !== 0);
    const number = bytes.subarray(start < 0 ? KEY_BYTES - 1 : start);
    const sign = (number[0] ?? 0) >= 0x80 ? [0] : [];
    return Buffer.concat([Buffer.of(0x02, sign.length + number.length, ...sign), number]);
}
