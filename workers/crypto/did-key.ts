import { base58 } from '@scure/base';
import { DID_KEY_MULTICODEC, DID_KEY_SCHEME, type PublicKey } from '../../tokens/did-key.ts';
import { P256_MULTICODEC, type P256PublicKey } from '../../tokens/p256-did-key.ts';

export function encodeDidKey(publicKey: PublicKey): string {
    return encoded(DID_KEY_MULTICODEC, publicKey);
}

export function encodeP256DidKey(publicKey: P256PublicKey): string {
    return encoded(P256_MULTICODEC, publicKey);
}

function encoded(multicodec: readonly number[], publicKey: Uint8Array): string {
    const bytes = new Uint8Array(multicodec.length + publicKey.length);
    bytes.set(multicodec);
    bytes.set(publicKey, multicodec.length);
    return `${DID_KEY_SCHEME}z${base58.encode(bytes)}`;
}

/** Returns the part after `did:key:`, which names the only key of a DID document. */
export function didKeyFragment(did: string): string {
    return did.slice(DID_KEY_SCHEME.length);
}
