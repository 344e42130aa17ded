import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { sealAs, unsealAs } from '../workers/crypto/seal.ts';

/** Seals data that a caller returns later, to any process of the service. */
interface SharedSeal {
    seal(plain: Uint8Array, binding: Binding): Buffer;
    /** Returns the plain bytes; undefined if the data was not sealed with this binding. */
    open(sealed: Uint8Array, binding: Binding): Buffer | undefined;
}

/** What a sealed text belongs to. The text opens only with the same parts in the same order. */
type Binding = ReadonlyArray<string | undefined>;

const KEY_BYTES = 32;

/**
 * Seals with AES-256-GCM under keys that are derived (HKDF) from secrets, which are the same in all processes. The
 * first secret seals and each of them opens, so that secrets can be rotated. `purpose` separates the keys of different
 * uses. Each binding has its own key (HMAC-SHA-256), which keeps the number of random nonces per key small.
 */
export function sharedSeal(secrets: readonly [string, ...string[]], purpose: string): SharedSeal {
    const keyFrom = (secret: string) =>
        createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)));
    const [first, ...others] = secrets;
    const sealingKey = keyFrom(first);
    const openingKeys = [sealingKey, ...others.map(keyFrom)];
    return {
        seal(plain, binding) {
            const associated = associatedData(binding);
            return sealAs(plain, keyOf(sealingKey, associated), associated);
        },
        open(sealed, binding) {
            const associated = associatedData(binding);
            for (const key of openingKeys) {
                const plain = unsealAs(sealed, keyOf(key, associated), associated);
                if (plain) return plain;
            }
            return undefined;
        },
    };
}

function keyOf(key: KeyObject, associated: Buffer): Buffer {
    return createHmac('sha256', key).update(associated).digest();
}

/** JSON, so that no two bindings produce the same text. */
function associatedData(binding: Binding): Buffer {
    return Buffer.from(JSON.stringify(binding.map((part) => part ?? null)));
}
