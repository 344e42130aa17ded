import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Sealed records: AES-256-GCM (NIST SP 800-38D) with a wallet's data key. Each record is bound to its wallet and name.
 * A record is `version (1 byte) | nonce (12) | ciphertext | tag (16)`; its associated data is this binding and the
 * version. It takes about 15 µs of the calling thread, one of a megabyte 400 µs. Keys are passed as KeyObjects: Node 24
 * takes twice as long with bytes, because it finds out with an exception that they are none.
 */
const CIPHER = 'aes-256-gcm';
const VERSION = 1;
/** Random nonces are safe for 2^32 records per key. */
const NONCE_BYTES = 12;
const HEAD_BYTES = 1 + NONCE_BYTES;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** What a record is bound to. It opens only with the same binding. */
export interface Binding {
    /** UUID */
    wallet: string;
    /** Unique in its wallet. */
    record: string;
}

/** Returns 32 random bytes. The caller must wipe them with fill(0) after use. */
export function newKey(): Buffer {
    return randomBytes(KEY_BYTES);
}

export function seal(plain: Uint8Array, key: Uint8Array, binding: Binding): Buffer {
    return sealAs(plain, key, associatedData(binding));
}

/** Like `seal`, with the caller's own associated data. */
export function sealAs(plain: Uint8Array, key: Uint8Array, associated: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associated);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the plain bytes; undefined if the key or the binding is another one, or if the data was changed. */
export function unseal(sealed: Uint8Array, key: Uint8Array, binding: Binding): Buffer | undefined {
    return unsealAs(sealed, key, associatedData(binding));
}

/** Like `unseal`, with the caller's own associated data. */
export function unsealAs(sealed: Uint8Array, key: Uint8Array, associated: Buffer): Buffer | undefined {
    if (sealed.length < HEAD_BYTES + TAG_BYTES || sealed[0] !== VERSION) return undefined;
    // Without authTagLength Node would accept tags of only 4 bytes.
    const nonce = sealed.subarray(1, HEAD_BYTES);
    const decipher = createDecipheriv(CIPHER, createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associated);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES));
    try {
        decipher.final();
        return plain; // GCM has no output in final()
    } catch {
        plain.fill(0);
        return undefined;
    }
}

/**
 * Returns a fingerprint of a text of at most 1,024 bytes. Equal texts have equal fingerprints under one key, and
 * without the key a fingerprint reveals nothing. HKDF (RFC 5869) separates this use of the key from the sealing of
 * records.
 */
export function tagOf(text: string, key: Uint8Array): Buffer {
    return Buffer.from(hkdfSync('sha256', createSecretKey(key), '', text, TAG_BYTES));
}

/** No two bindings produce the same text, because an id contains no line break. */
function associatedData({ wallet, record }: Binding): Buffer {
    return Buffer.from(`${VERSION}\n${wallet}\n${record}`);
}
