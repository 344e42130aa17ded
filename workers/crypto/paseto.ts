import { encodeBase64Url } from '../../platform/base64.ts';
import { HEADER, signedBytes } from '../../tokens/v4-public.ts';
import { type PublicKey, type Seed, sign } from './ed25519.ts';

const NOTHING = new Uint8Array(0);

/** Signs a payload (JSON text) without footer or implicit assertion. `public_key` must come from publicKeyOf(seed). */
export function signToken(payload: string, seed: Seed, publicKey: PublicKey): string {
    return signPublic({
        message: Buffer.from(payload),
        footer: NOTHING,
        implicit: NOTHING,
        seed,
        public_key: publicKey,
    });
}

interface SignInput {
    message: Uint8Array;
    footer: Uint8Array;
    implicit: Uint8Array;
    seed: Seed;
    public_key: PublicKey;
}

export function signPublic({ message, footer, implicit, seed, public_key }: SignInput): string {
    const signature = sign(signedBytes({ message, footer, implicit }), seed, public_key);
    const token = HEADER + encodeBase64Url(Buffer.concat([message, signature]));
    return footer.length === 0 ? token : `${token}.${encodeBase64Url(footer)}`;
}
