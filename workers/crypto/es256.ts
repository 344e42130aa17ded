import { createECDH, ECDH, sign as signWith, verify as verifyWith } from 'node:crypto';
import { promisify } from 'node:util';
import type { P256PublicKey } from '../../tokens/p256-did-key.ts';
import { publicKeyPem } from './public-key-pem.ts';

declare const kind: unique symbol;

export type { P256PublicKey };

/** The 32-byte secret of a P-256 key pair: a number below the order of the curve, big-endian (SEC 1, section 2.3.7). */
export type P256Secret = Uint8Array & { readonly [kind]: 'P-256 secret' };

/** A secret with the point of its public key: an ECPrivateKey in DER, 121 bytes (RFC 5915, section 3). */
export type P256SigningKey = Uint8Array & { readonly [kind]: 'P-256 signing key' };

export interface P256KeyPair {
    public_key: P256PublicKey;
    secret: P256Secret;
}

const CURVE = 'prime256v1';
const KEY_BYTES = 32;
/** A signature of ES256 is r and s, 32 bytes each (RFC 7518, section 3.4). */
const SIGNATURE_BYTES = 64;

/** What stands before the secret and before the point in an ECPrivateKey (RFC 5915, section 3). */
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

/** Throws an Error if the secret is none. */
export function publicKeyOf(secret: P256Secret): P256PublicKey {
    return publicKeyBytes(pairOf(secret).getPublicKey(null, 'compressed'));
}

/**
 * Returns the key with which sign() signs. To compute the point takes longer than a signature. The caller wipes both.
 * Throws an Error if the secret is none.
 */
export function signingKeyOf(secret: P256Secret): P256SigningKey {
    const point = pairOf(secret).getPublicKey(null, 'uncompressed');
    return Uint8Array.of(...BEFORE_SECRET, ...secret, ...BEFORE_POINT, ...point) as P256SigningKey; // as it is defined
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

/**
 * Signs with ECDSA on P-256 and SHA-256. Signatures of one message differ. A KeyObject, which nobody can wipe, is not kept:
 * the key is PEM, with which it takes half of the time that DER with options takes. Throws an Error if the key is none.
 */
export function sign(message: Uint8Array, signingKey: P256SigningKey): Uint8Array {
    const key = pemOf(signingKey);
    try {
        return numbersOf(signWith('sha256', message, key));
    } finally {
        key.fill(0);
    }
}

const BEGIN = Buffer.from('-----BEGIN EC PRIVATE KEY-----\n');
const END = Buffer.from('\n-----END EC PRIVATE KEY-----\n');
const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

/** The key in PEM, as bytes that can be wiped. Node encodes base64 to texts alone, which nobody can wipe. */
function pemOf(key: P256SigningKey): Buffer {
    const pem = Buffer.alloc(BEGIN.length + 4 * Math.ceil(key.length / 3) + END.length, '=');
    pem.set(BEGIN);
    for (let from = 0, at = BEGIN.length; from < key.length; from += 3, at += 4) {
        const [first = 0, second = 0, third = 0] = key.subarray(from, from + 3);
        const bits = (first << 16) | (second << 8) | third;
        const digits = Math.min(3, key.length - from) + 1;
        for (let digit = 0; digit < digits; digit++)
            pem[at + digit] = BASE64[(bits >> (18 - 6 * digit)) & 63] as number;
    }
    pem.set(END, pem.length - END.length);
    return pem;
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
