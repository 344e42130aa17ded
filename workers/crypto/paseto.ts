import { decodeBase64Url, encodeBase64Url } from '../../platform/base64.ts';
import { type PublicKey, type Seed, SIGNATURE_BYTES, sign, verify } from './ed25519.ts';

/**
 * PASETO version 4, public purpose:
 * https://github.com/paseto-standard/paseto-spec, docs/01-Protocol-Versions/Version4.md
 */
const HEADER = 'v4.public.';
const HEADER_BYTES = Buffer.from(HEADER);
const NOTHING = new Uint8Array(0);

export const MAX_TOKEN_LENGTH = 1_048_576;
/** Length of the shortest token: the header, then `{}` and a signature, which are 66 bytes or 88 characters. */
const MIN_TOKEN_LENGTH = HEADER.length + 88;
const SHAPE = /^v4\.public\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?$/;

export interface TokenParts {
    message: Buffer;
    signature: Buffer;
    footer: Buffer;
}

/** True if the text looks like a v4.public token. This says nothing about its signature. */
export function isToken(text: string): boolean {
    return text.length >= MIN_TOKEN_LENGTH && text.length <= MAX_TOKEN_LENGTH && SHAPE.test(text);
}

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

/** True if this key made the signature. Refuses a token with a footer, because tokens of this service have none. */
export function verifyToken({ message, signature, footer }: TokenParts, publicKey: PublicKey): boolean {
    return (
        footer.length === 0 && verifyPublic({ message, signature, footer, implicit: NOTHING, public_key: publicKey })
    );
}

/** Splits a token. Undefined if its shape is wrong or a segment is not the canonical base64url of its bytes. */
export function splitToken(token: string): TokenParts | undefined {
    if (!isToken(token)) return undefined;
    const [bodyText = '', footerText = ''] = token.slice(HEADER.length).split('.');
    const body = decodeBase64Url(bodyText);
    const footer = decodeBase64Url(footerText);
    if (body === undefined || footer === undefined) return undefined;
    const end = body.length - SIGNATURE_BYTES;
    return { message: body.subarray(0, end), signature: body.subarray(end), footer };
}

export interface SignInput {
    message: Uint8Array;
    footer: Uint8Array;
    implicit: Uint8Array;
    seed: Seed;
    public_key: PublicKey;
}

export function signPublic({ message, footer, implicit, seed, public_key }: SignInput): string {
    const signature = sign(preAuthEncode([HEADER_BYTES, message, footer, implicit]), seed, public_key);
    const token = HEADER + encodeBase64Url(Buffer.concat([message, signature]));
    return footer.length === 0 ? token : `${token}.${encodeBase64Url(footer)}`;
}

export interface VerifyInput extends TokenParts {
    implicit: Uint8Array;
    public_key: PublicKey;
}

export function verifyPublic({ message, signature, footer, implicit, public_key }: VerifyInput): boolean {
    return verify(signature, preAuthEncode([HEADER_BYTES, message, footer, implicit]), public_key);
}

/**
 * PAE (PASETO specification, Common.md): the number of pieces, then each piece after its length. Numbers are 64-bit
 * little-endian.
 */
export function preAuthEncode(pieces: Uint8Array[]): Uint8Array {
    const size = pieces.reduce((sum, piece) => sum + 8 + piece.length, 8);
    const out = Buffer.alloc(size); // zeroed: only the low 6 bytes of each length are written
    let offset = out.writeUIntLE(pieces.length, 0, 6) + 2;
    for (const piece of pieces) {
        offset = out.writeUIntLE(piece.length, offset, 6) + 2;
        out.set(piece, offset);
        offset += piece.length;
    }
    return out;
}
