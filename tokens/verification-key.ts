import { DID_KEY_SCHEME, decodeDidKey, isDid, type PublicKey } from './did-key.ts';
import { type Jws, jsonObjectOf } from './jws.ts';
import { decodeP256DidKey, type P256PublicKey } from './p256-did-key.ts';
import type { TokenPrimitives } from './v4-public.ts';
import { isIssuerWebDid } from './web-did.ts';

/** A key that verifies the signatures of JWSs. It has one algorithm, so no token chooses another. */
export type VerificationKey = { alg: 'EdDSA'; key: PublicKey } | { alg: 'ES256'; key: P256PublicKey };

export interface JwsPrimitives extends TokenPrimitives {
    /** True if the ES256 signature is valid, whichever of its two forms it has. `signature` may have any length. */
    verifyEs256(signature: Uint8Array, message: Uint8Array, publicKey: P256PublicKey): boolean;
}

type Decoders = Pick<TokenPrimitives, 'decodeBase64Url' | 'decodeUtf8'>;

const DID_JWK_SCHEME = 'did:jwk:';
const KEY_BYTES = 32;
/** The field of P-256, and the constant term of its equation y² = x³ - 3x + b (SEC 2, section 2.4.2). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** True if this key made the signature. */
export function verifyJws({ alg, signature, signed }: Jws, key: VerificationKey, primitives: JwsPrimitives): boolean {
    if (alg !== key.alg) return false;
    return key.alg === 'ES256'
        ? primitives.verifyEs256(signature, signed, key.key)
        : primitives.verify(signature, signed, key.key);
}

/**
 * Returns the key that a `kid` names: the URL of a key in the document of `did`, whole or only its fragment. Without a
 * `kid`, a DID that is its own only key names it. For a did:web, `name` is the key as in a did:key, and whether it is
 * one of this DID is another question (kidFault).
 */
export function keyOf(
    did: string,
    kid: string | undefined,
    primitives: Decoders,
): { key: VerificationKey; name: string | undefined } | undefined {
    const fragment = kid?.startsWith(`${did}#`) ? kid.slice(did.length) : kid;
    if (fragment !== undefined && !fragment.startsWith('#')) return undefined;
    const name = fragment?.slice(1);
    if (isIssuerWebDid(did)) {
        const key = name === undefined ? undefined : keyOfDid(DID_KEY_SCHEME + name, primitives);
        return key && { key, name };
    }
    const key = keyOfDid(did, primitives);
    const own = did.startsWith(DID_KEY_SCHEME) ? did.slice(DID_KEY_SCHEME.length) : '0';
    return key && (name === undefined || name === own) ? { key, name: undefined } : undefined;
}

/** Returns the key that a DID URL of a did:key or did:jwk names; undefined for any other text. */
export function keyOfDidUrl(url: string, primitives: Decoders): VerificationKey | undefined {
    const found = keyOf(url.split('#', 1)[0] ?? '', url, primitives);
    return found?.name === undefined ? found?.key : undefined;
}

/** True if the DID has the form of one that contains a key. Only keyOfDid() shows whether a did:jwk does. */
export function namesKey(did: string): boolean {
    if (did.startsWith(DID_JWK_SCHEME)) return isDid(did);
    return (decodeDidKey(did) ?? decodeP256DidKey(did)) !== undefined;
}

/** Returns the key in a did:key or a did:jwk; undefined for any other text. */
export function keyOfDid(did: string, primitives: Decoders): VerificationKey | undefined {
    const ed25519 = decodeDidKey(did);
    if (ed25519 !== undefined) return { alg: 'EdDSA', key: ed25519 };
    const p256 = decodeP256DidKey(did);
    if (p256 !== undefined) return { alg: 'ES256', key: p256 };
    if (!did.startsWith(DID_JWK_SCHEME) || !isDid(did)) return undefined;
    const bytes = primitives.decodeBase64Url(did.slice(DID_JWK_SCHEME.length));
    return keyOfJwk(jsonObjectOf(bytes, primitives), primitives);
}

/** Returns the key in a JWK (RFC 7517) of Ed25519 or P-256; undefined for any other value, and for a private key. */
export function keyOfJwk(
    jwk: Record<string, unknown> | undefined,
    { decodeBase64Url }: Pick<TokenPrimitives, 'decodeBase64Url'>,
): VerificationKey | undefined {
    if (jwk === undefined || Object.hasOwn(jwk, 'd')) return undefined;
    const { kty, crv, x, y } = jwk;
    const bytes = (text: unknown) => {
        const decoded = typeof text === 'string' ? decodeBase64Url(text) : undefined;
        return decoded?.length === KEY_BYTES ? decoded : undefined;
    };
    const first = bytes(x);
    if (first === undefined) return undefined;
    if (kty === 'OKP' && crv === 'Ed25519') return { alg: 'EdDSA', key: Uint8Array.from(first) as PublicKey }; // 32 bytes
    const second = kty === 'EC' && crv === 'P-256' ? bytes(y) : undefined;
    if (second === undefined || !isOnCurve(first, second)) return undefined;
    const form = 2 + ((second.at(-1) ?? 0) & 1); // SEC 1, section 2.3.3
    return { alg: 'ES256', key: Uint8Array.of(form, ...first) as P256PublicKey }; // 33 bytes
}

function isOnCurve(xBytes: Uint8Array, yBytes: Uint8Array): boolean {
    const [x, y] = [numberOf(xBytes), numberOf(yBytes)];
    return x < P && y < P && (y * y - (x * x * x - 3n * x + B)) % P === 0n;
}

function numberOf(bytes: Uint8Array): bigint {
    return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
