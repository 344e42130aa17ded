import { base58 } from '@scure/base';
import { DID_KEY_BYTES, DID_KEY_MULTICODEC, DID_KEY_SCHEME, type PublicKey } from '../../tokens/did-key.ts';

export function encodeDidKey(publicKey: PublicKey): string {
    const bytes = new Uint8Array(DID_KEY_BYTES);
    bytes.set(DID_KEY_MULTICODEC);
    bytes.set(publicKey, DID_KEY_MULTICODEC.length);
    return `${DID_KEY_SCHEME}z${base58.encode(bytes)}`;
}

/** Returns the part after `did:key:`, which names the only key of a DID document. */
export function didKeyFragment(did: string): string {
    return did.slice(DID_KEY_SCHEME.length);
}
