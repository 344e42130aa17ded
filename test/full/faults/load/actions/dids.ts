import { encodeBase64 } from '../../../../../platform/base64.ts';
import { encodeDidKey } from '../../../../../workers/crypto/did-key.ts';
import { generateKeyPair } from '../../../../../workers/crypto/ed25519.ts';
import type { Actor } from '../actor.ts';

/** Registers a new public key. Its DID is known before the call. */
export async function registerDid(actor: Actor): Promise<void> {
    const { public_key } = generateKeyPair();
    const publicKey = encodeBase64(public_key);
    const body = { public_key: publicKey };
    const request = { method: 'POST', path: '/v1/did', token: actor.key.secret, body } as const;
    await actor.perform({ kind: 'register-did', did: encodeDidKey(public_key), publicKey }, request);
}
