import type { SdJwtVcPrimitives } from '../../tokens/sd-jwt-vc.ts';
import { verifySignature } from './ed25519.ts';
import { sha256, verifyEs256 } from './p256.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What browsers and Node have in common, and Ed25519, P-256 and SHA-256 in JavaScript. */
export const PRIMITIVES: SdJwtVcPrimitives = {
    ...{ decodeBase64Url, decodeUtf8, digest },
    ...{ verify: verifySignature, verifyEs256 },
};

/** Returns the bytes of canonical base64url without padding; undefined for any other text. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
    let binary: string;
    try {
        binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    } catch {
        return undefined;
    }
    // atob() also reads blanks, padding and loose bits, so the text must be what the bytes are encoded to.
    if (encodeBinary(binary) !== text) return undefined;
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/** Returns the base64url, without padding, of characters that stand for bytes. */
function encodeBinary(binary: string): string {
    return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns the SHA-256 of an ASCII text, in base64url. */
function digest(text: string): string {
    return encodeBinary(String.fromCharCode(...sha256(new TextEncoder().encode(text))));
}

/** Returns the text of strict UTF-8, with a byte order mark if there is one; undefined for any other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
    try {
        return UTF8.decode(bytes);
    } catch {
        return undefined;
    }
}
