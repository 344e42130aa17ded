import { createHmac, hkdfSync } from 'node:crypto';
import { sealAs, unsealAs } from '../workers/crypto/seal.ts';

/** Seals what a caller hands back later, to whichever process of the service then serves it. */
export interface SharedSeal {
    seal(plain: Uint8Array, place: Place): Buffer;
    /** The plain bytes; undefined for what was not sealed for this same place. */
    open(sealed: Uint8Array, place: Place): Buffer | undefined;
}

/** What a sealed text is for: it cannot be opened with other parts, or with these in another order. */
type Place = ReadonlyArray<string | undefined>;

const KEY_BYTES = 32;

/**
 * Seals with AES-256-GCM under keys that derive from secrets which all processes have (HKDF): the first secret seals, all of
 * them open, so that secrets can be rotated. `purpose` keeps the keys of different uses apart. Each place has a key of its
 * own (HMAC-SHA-256), which keeps the number of random nonces under one key small.
 */
export function sharedSeal(secrets: readonly [string, ...string[]], purpose: string): SharedSeal {
    const keyFrom = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
    const [first, ...others] = secrets;
    const sealingKey = keyFrom(first);
    const openingKeys = [sealingKey, ...others.map(keyFrom)];
    return {
        seal(plain, place) {
            const associated = associatedData(place);
            return sealAs(plain, keyOf(sealingKey, associated), associated);
        },
        open(sealed, place) {
            const associated = associatedData(place);
            for (const key of openingKeys) {
                const plain = unsealAs(sealed, keyOf(key, associated), associated);
                if (plain) return plain;
            }
            return undefined;
        },
    };
}

function keyOf(key: Buffer, associated: Buffer): Buffer {
    return createHmac('sha256', key).update(associated).digest();
}

/** JSON, so that no two places give the same text. */
function associatedData(place: Place): Buffer {
    return Buffer.from(JSON.stringify(place.map((part) => part ?? null)));
}
