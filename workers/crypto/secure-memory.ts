import sodium from 'sodium-native';

/** sodium-native accepts any byte view; its published types require Buffer. */
const { sodium_malloc: allocate, sodium_memzero: wipe } = sodium as {
    sodium_malloc(size: number): Buffer;
    sodium_memzero(bytes: Uint8Array): void;
};

/**
 * Moves a secret into memory that the kernel neither swaps nor writes into core dumps, as far as its limits allow
 * (sodium_malloc). The memory is wiped when it is freed. Wipes `bytes`.
 */
export function moveToSecureMemory(bytes: Uint8Array): Buffer {
    const secure = allocate(bytes.length);
    secure.set(bytes);
    wipe(bytes);
    return secure;
}

/** Overwrites a secret with zeros. */
export function wipeSecret(bytes: Uint8Array): void {
    wipe(bytes);
}
