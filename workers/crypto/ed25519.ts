import { hash, verify as verifyWith } from 'node:crypto';
import { promisify } from 'node:util';
import sodium from 'sodium-native';
import { createCache } from '../../platform/cache.ts';
import type { PublicKey } from '../../tokens/did-key.ts';
import { publicKeyPem } from './public-key-pem.ts';

declare const kind: unique symbol;

export type { PublicKey };

/** The 32-byte secret of an Ed25519 key pair (the private key of RFC 8032). */
export type Seed = Uint8Array & { readonly [kind]: 'seed' };

export interface KeyPair {
    public_key: PublicKey;
    seed: Seed;
}

export const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** What stands before a public key in a SubjectPublicKeyInfo (RFC 8410, section 4). */
const BEFORE_PUBLIC_KEY = Buffer.from('302a300506032b6570032100', 'hex');

/** sodium-native accepts any byte view; its published types require Buffer. */
const {
    crypto_core_ed25519_is_valid_point: isValidPoint,
    crypto_sign_detached: signDetached,
    crypto_sign_seed_keypair: seedKeyPair,
    crypto_sign_verify_detached: verifyDetached,
    randombytes_buf: fillRandom,
    sodium_memzero: wipe,
} = sodium as {
    crypto_core_ed25519_is_valid_point(bytes: Uint8Array): boolean;
    crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
    crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
    randombytes_buf(bytes: Uint8Array): void;
    sodium_memzero(bytes: Uint8Array): void;
};

/**
 * Maximum number of cached public keys. The cache saves time because an issuer signs again and again. Beyond it: the
 * least recently used half is dropped and computed again.
 */
const MAX_CACHED_KEYS = 4_096;
/** Public keys by the SHA-256 of their seeds, which reveals nothing about a seed. */
const remembered = createCache<string, PublicKey>(MAX_CACHED_KEYS);

/** A private key in libsodium's form: seed, then public key. Each synchronous call that writes it also wipes it. */
const secretKey = new Uint8Array(2 * KEY_BYTES);

export function generateKeyPair(): KeyPair {
    const seed = new Uint8Array(KEY_BYTES) as Seed; // 32 bytes, filled below
    fillRandom(seed);
    return { public_key: publicKeyOf(seed), seed };
}

/**
 * Derives the public key. This takes about 22 µs, as long as a signature. The service accepts this cost so that it
 * never signs with a public key that a client sent.
 */
export function publicKeyOf(seed: Seed): PublicKey {
    const publicKey = new Uint8Array(KEY_BYTES) as PublicKey; // 32 bytes, filled below
    seedKeyPair(publicKey, secretKey, seed);
    wipe(secretKey);
    return publicKey;
}

function rememberedPublicKeyOf(seed: Seed): PublicKey {
    const name = hash('sha256', seed, 'base64');
    const known = remembered.get(name);
    if (known) return known;
    const publicKey = publicKeyOf(seed);
    remembered.set(name, publicKey);
    return publicKey;
}

/** `public_key` must come from publicKeyOf(seed): a signature made with another public key reveals the seed. */
export function sign(message: Uint8Array, seed: Seed, publicKey: PublicKey): Uint8Array {
    const signature = new Uint8Array(SIGNATURE_BYTES);
    secretKey.set(seed);
    secretKey.set(publicKey, KEY_BYTES);
    signDetached(signature, message, secretKey);
    wipe(secretKey);
    return signature;
}

/**
 * True if libsodium accepts the signature (RFC 8032, canonical S, no small-order key or R). False if the signature has
 * another length.
 */
export function verify(signature: Uint8Array, message: Uint8Array, publicKey: PublicKey): boolean {
    return signature.length === SIGNATURE_BYTES && verifyDetached(signature, message, publicKey);
}

const verifyInThread = promisify(verifyWith);

/** True if OpenSSL accepts the signature, in a thread of libuv, for a key of prime order. */
export function hasSigned(signature: Uint8Array, message: Uint8Array, publicKey: PublicKey): Promise<boolean> {
    return verifyInThread(null, message, publicKeyPem(BEFORE_PUBLIC_KEY, publicKey), signature);
}

/**
 * Returns the bytes as a public key. Undefined if the length is wrong, if the point has small order (anybody could sign
 * for such a key), or if the bytes are a second encoding of a point (y must be below p).
 */
export function publicKeyFrom(bytes: Uint8Array): PublicKey | undefined {
    if (bytes.length !== KEY_BYTES || hasSmallOrder(bytes) || !isReduced(bytes)) return undefined;
    return bytes as PublicKey; // 32 bytes
}

/**
 * True if the key is a point of the curve, in its only encoding and of the order that a key with a private key has. It
 * takes 36 µs.
 */
export function hasPrimeOrder(key: PublicKey): boolean {
    return isValidPoint(key);
}

/**
 * Reads a key pair from a 32-byte seed, or from 64 bytes: seed, then public key. Undefined for another length, or if
 * the two halves do not belong together.
 */
export function keyPairFrom(bytes: Uint8Array): KeyPair | undefined {
    if (bytes.length !== KEY_BYTES && bytes.length !== 2 * KEY_BYTES) return undefined;
    const seed = bytes.subarray(0, KEY_BYTES) as Seed; // 32 bytes
    const publicKey = rememberedPublicKeyOf(seed);
    const claimed = bytes.subarray(KEY_BYTES);
    return claimed.length === 0 || sameBytes(claimed, publicKey) ? { public_key: publicKey, seed } : undefined;
}

/** Returns a private key in the form that clients receive, 64 bytes: seed, then public key. */
export function secretKeyBytes(seed: Seed, publicKey: PublicKey): Uint8Array {
    const bytes = new Uint8Array(2 * KEY_BYTES);
    bytes.set(seed);
    bytes.set(publicKey, KEY_BYTES);
    return bytes;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
    return Buffer.compare(a, b) === 0;
}

/**
 * The y coordinates of the points of small order, little-endian with the sign bit clear, canonical or not. With either
 * sign bit these are the 14 encodings of libsodium's ge25519_has_small_order
 * (crypto_core/ed25519/ref10/ed25519_ref10.c).
 */
const SMALL_ORDER = new Set([
    '0000000000000000000000000000000000000000000000000000000000000000', // 0: order 4
    '0100000000000000000000000000000000000000000000000000000000000000', // 1: order 1
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', // order 8
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', // order 8
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // p - 1: order 2
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // p, read as 0: order 4
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // p + 1, read as 1: order 1
]);

/** True if y, little-endian without the sign bit, is below p = 2^255 - 19. */
function isReduced(bytes: Uint8Array): boolean {
    if ((bytes[0] ?? 0) < 0xed || ((bytes[KEY_BYTES - 1] ?? 0) & 0x7f) !== 0x7f) return true;
    return bytes.subarray(1, KEY_BYTES - 1).some((byte) => byte !== 0xff);
}

function hasSmallOrder(bytes: Uint8Array): boolean {
    const y = Buffer.from(bytes);
    y[KEY_BYTES - 1] = (bytes[KEY_BYTES - 1] ?? 0) & 0x7f;
    return SMALL_ORDER.has(y.toString('hex'));
}
