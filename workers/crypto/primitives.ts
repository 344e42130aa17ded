import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { decodeBase64Url } from '../../platform/base64.ts';
import type { SdJwtVcPrimitives } from '../../tokens/sd-jwt-vc.ts';
import { verify } from './ed25519.ts';
import { verify as verifyEs256 } from './es256.ts';

/** Node's decoders, libsodium for Ed25519, and OpenSSL for P-256 and SHA-256. */
export const PRIMITIVES: SdJwtVcPrimitives = { decodeBase64Url, decodeUtf8, digest, verify, verifyEs256 };

function digest(text: string): string {
    return hash('sha256', text, 'base64url');
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
    return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : undefined;
}
