import { isUtf8 } from 'node:buffer';
import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '../../platform/base64.ts';
import { JsonError, parseJson } from '../../platform/json.ts';
import { MAX_NEW_SUBJECT_LENGTH } from '../../tokens/credential.ts';
import { DID_KEY_SCHEME, decodeDidKey } from '../../tokens/did-key.ts';
import type { JwsAlgorithm } from '../../tokens/jws.ts';
import { decodeP256DidKey } from '../../tokens/p256-did-key.ts';
import { pointOf } from './es256.ts';

/** A public key of a wallet: P-256 or Ed25519. */
export interface HolderKey {
    alg: JwsAlgorithm;
    key: KeyObject;
    /** Without members that say nothing about the key, such as a `kid` of the wallet. */
    jwk: PublicJwk;
    /** SHA-256 of the key (RFC 7638). Equal keys have equal thumbprints. */
    thumbprint: Buffer;
}

type PublicJwk = { kty: 'EC'; crv: 'P-256'; x: string; y: string } | { kty: 'OKP'; crv: 'Ed25519'; x: string };

/** Length of a coordinate of a public key, in bytes. */
const COORDINATE_BYTES = 32;
const DID_JWK = 'did:jwk:';

/** Returns the key in the JSON text of a JWK; undefined if it is no public key of these kinds. */
export function keyInJwkText(text: string): HolderKey | undefined {
    return keyInJwk(jsonOf(text));
}

/** Returns the key in a JWK; undefined if it is no public key of these kinds. */
export function keyInJwk(value: unknown): HolderKey | undefined {
    if (typeof value !== 'object' || value === null || 'd' in value) return undefined;
    const { kty, crv, x, y } = value as Record<string, unknown>; // any object has this type
    if (!isCoordinate(x)) return undefined;
    if (kty === 'OKP' && crv === 'Ed25519') return keyOf('EdDSA', { kty, crv, x });
    if (kty === 'EC' && crv === 'P-256' && isCoordinate(y)) return keyOf('ES256', { kty, crv, x, y });
    return undefined;
}

/**
 * Returns the key that a DID URL of did:key or did:jwk names; undefined for any other text, and for a DID that is too long
 * to be the subject of a credential.
 */
export function keyInDidUrl(url: string): HolderKey | undefined {
    const [did = '', fragment, ...more] = url.split('#', 3);
    if (fragment === undefined || more.length > 0 || did.length > MAX_NEW_SUBJECT_LENGTH) return undefined;
    if (did.startsWith(DID_JWK)) return fragment === '0' ? keyInJwk(jsonIn(did.slice(DID_JWK.length))) : undefined;
    return fragment === did.slice(DID_KEY_SCHEME.length) ? keyInDidKey(did) : undefined;
}

function keyInDidKey(did: string): HolderKey | undefined {
    const ed25519 = decodeDidKey(did);
    if (ed25519) return keyInJwk({ kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(ed25519) });
    const p256 = decodeP256DidKey(did);
    if (!p256) return undefined;
    try {
        const { x, y } = pointOf(p256);
        return keyInJwk({ kty: 'EC', crv: 'P-256', x: encodeBase64Url(x), y: encodeBase64Url(y) });
    } catch {
        return undefined; // the curve has no such point
    }
}

/** One spelling for each coordinate, so that a key has one thumbprint. */
function isCoordinate(value: unknown): value is string {
    return typeof value === 'string' && value.length === 43 && decodeBase64Url(value)?.length === COORDINATE_BYTES;
}

function keyOf(alg: JwsAlgorithm, jwk: PublicJwk): HolderKey | undefined {
    const { crv, kty, x } = jwk;
    const members = 'y' in jwk ? { crv, kty, x, y: jwk.y } : { crv, kty, x }; // in this order (RFC 7638, section 3.3)
    try {
        const key = createPublicKey({ key: jwk, format: 'jwk' });
        return { alg, key, jwk, thumbprint: hash('sha256', JSON.stringify(members), 'buffer') };
    } catch {
        return undefined; // the curve has no such point
    }
}

function jsonIn(part: string): unknown {
    const bytes = decodeBase64Url(part);
    return bytes && isUtf8(bytes) ? jsonOf(bytes.toString()) : undefined;
}

/** Returns the value of JSON text; undefined if it is none. */
function jsonOf(text: string): unknown {
    try {
        return parseJson(text, { raw: new Set() });
    } catch (error) {
        if (error instanceof JsonError) return undefined;
        throw error;
    }
}
