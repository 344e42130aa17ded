import { sealAs, tagOf, unsealAs } from '../../../workers/crypto/seal.ts';
import type { Kek } from './kek.ts';

/** A KEK from the settings. Its name is a fingerprint, which reveals nothing about the key. */
export function ownKek(key: Uint8Array): Kek {
    return {
        name: `kek-${tagOf('name of a key-encryption key', key).toString('hex', 0, 8)}`,
        wrap: async (dataKey, owner) => sealAs(dataKey, key, associatedData(owner)),
        unwrap: async (wrapped, owner) => unsealAs(wrapped, key, associatedData(owner)),
    };
}

/** The first line separates wrapped data keys from everything else that might be sealed with the same key. */
function associatedData(owner: string): Buffer {
    return Buffer.from(`data key\n${owner}`);
}
