import type { PublicKey } from './did-key.ts';

/**
 * PASETO version 4, public purpose:
 * https://github.com/paseto-standard/paseto-spec, docs/01-Protocol-Versions/Version4.md
 */
export const HEADER = 'v4.public.';
const HEADER_BYTES = new TextEncoder().encode(HEADER);
const NOTHING = new Uint8Array(0);
const SIGNATURE_BYTES = 64;

/** Maximum length of a token, in characters. Beyond it: `invalid`. */
export const MAX_TOKEN_LENGTH = 1_048_576;
/** Length of the shortest token: the header, then `{}` and a signature, which are 66 bytes or 88 characters. */
const MIN_TOKEN_LENGTH = HEADER.length + 88;
const SHAPE = /^v4\.public\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?$/;

/** What reading a token needs from its surroundings. Service and library have their own, with the same results. */
export interface TokenPrimitives {
    /** Returns the bytes of canonical base64url without padding; undefined for any other text. */
    decodeBase64Url(text: string): Uint8Array | undefined;
    /** Returns the text of strict UTF-8, with a byte order mark if there is one; undefined for any other bytes. */
    decodeUtf8(bytes: Uint8Array): string | undefined;
    /**
     * True if the Ed25519 signature is valid: without cofactor, with a canonical S, and with neither a key nor an R of
     * small order or in a second encoding. `signature` has 64 bytes.
     */
    verify(signature: Uint8Array, message: Uint8Array, publicKey: PublicKey): boolean;
}

interface TokenParts {
    message: Uint8Array;
    signature: Uint8Array;
    footer: Uint8Array;
}

/** True if the text looks like a v4.public token. This says nothing about its signature. */
export function isToken(text: string): boolean {
    return text.length >= MIN_TOKEN_LENGTH && text.length <= MAX_TOKEN_LENGTH && SHAPE.test(text);
}

/** Splits a token. Undefined if its shape is wrong or a segment is not the canonical base64url of its bytes. */
export function splitToken(
    token: string,
    { decodeBase64Url }: Pick<TokenPrimitives, 'decodeBase64Url'>,
): TokenParts | undefined {
    if (!isToken(token)) return undefined;
    const [bodyText = '', footerText = ''] = token.slice(HEADER.length).split('.');
    const body = decodeBase64Url(bodyText);
    const footer = decodeBase64Url(footerText);
    if (body === undefined || footer === undefined) return undefined;
    const end = body.length - SIGNATURE_BYTES;
    return { message: body.subarray(0, end), signature: body.subarray(end), footer };
}

/** True if this key made the signature. Refuses a token with a footer, because tokens of the service have none. */
export function verifyToken(
    { message, signature, footer }: TokenParts,
    publicKey: PublicKey,
    { verify }: Pick<TokenPrimitives, 'verify'>,
): boolean {
    if (footer.length !== 0) return false;
    return verify(signature, signedBytes({ message, footer, implicit: NOTHING }), publicKey);
}

/** The bytes that a token's signature covers. */
export function signedBytes(token: { message: Uint8Array; footer: Uint8Array; implicit: Uint8Array }): Uint8Array {
    return preAuthEncode([HEADER_BYTES, token.message, token.footer, token.implicit]);
}

/**
 * PAE (PASETO specification, Common.md): the number of pieces, then each piece after its length. Numbers are 64-bit
 * little-endian. No piece is as long as 4 GiB, so the upper half of each number is 0.
 */
export function preAuthEncode(pieces: Uint8Array[]): Uint8Array {
    const out = new Uint8Array(pieces.reduce((sum, piece) => sum + 8 + piece.length, 8));
    const view = new DataView(out.buffer);
    view.setUint32(0, pieces.length, true);
    let offset = 8;
    for (const piece of pieces) {
        view.setUint32(offset, piece.length, true);
        out.set(piece, offset + 8);
        offset += 8 + piece.length;
    }
    return out;
}
