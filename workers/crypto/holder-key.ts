import { hash } from 'node:crypto';
import { encodeBase64Url } from '../../platform/base64.ts';
import { MAX_NEW_SUBJECT_LENGTH } from '../../tokens/credential.ts';
import { jsonOf, membersOf } from '../../tokens/jws.ts';
import { keyOfDidUrl, keyOfJwk, type VerificationKey } from '../../tokens/verification-key.ts';
import { hasPrimeOrder } from './ed25519.ts';
import { pointOf } from './es256.ts';
import { PRIMITIVES } from './primitives.ts';

/** A public key of a wallet: P-256 or Ed25519. */
export type HolderKey = KeyWithJwk & {
    /** SHA-256 of the key (RFC 7638). Equal keys have equal thumbprints. */
    thumbprint: Buffer;
};

/** The JWK is without members that say nothing about the key, such as a `kid` of the wallet. */
type KeyWithJwk =
    | (Extract<VerificationKey, { alg: 'ES256' }> & { jwk: { kty: 'EC'; crv: 'P-256'; x: string; y: string } })
    | (Extract<VerificationKey, { alg: 'EdDSA' }> & { jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string } });
type PublicJwk = HolderKey['jwk'];

/** Returns the key in a JWK; undefined if it is no public key of these kinds. */
export function keyInJwk(value: unknown): HolderKey | undefined {
    const members = membersOf(value);
    const key = keyOfJwk(members, PRIMITIVES);
    if (key === undefined || (key.alg === 'EdDSA' && !hasPrimeOrder(key.key))) return undefined;
    const { x, y } = members as Record<'x' | 'y', string>; // keyOfJwk() has read y if there must be one
    const named: KeyWithJwk =
        key.alg === 'ES256'
            ? { ...key, jwk: { kty: 'EC', crv: 'P-256', x, y } }
            : { ...key, jwk: { kty: 'OKP', crv: 'Ed25519', x } };
    return { ...named, thumbprint: thumbprintOf(named.jwk) };
}

/** Returns the JWK in a JSON text, with the members of its key alone; undefined if it is no public key of these kinds. */
export function publicJwkIn(text: string): PublicJwk | undefined {
    return keyInJwk(jsonOf(Buffer.from(text), PRIMITIVES))?.jwk;
}

/**
 * Returns the key that a DID URL of did:key or did:jwk names; undefined for any other text, and for a DID that is too long
 * to be the subject of a credential.
 */
export function keyInDidUrl(url: string): HolderKey | undefined {
    const [did = ''] = url.split('#', 1);
    const key = did.length <= MAX_NEW_SUBJECT_LENGTH ? keyOfDidUrl(url, PRIMITIVES) : undefined;
    return key && keyInJwk(jwkOf(key));
}

/** Returns the key as a JWK; undefined if the curve has no such point. */
function jwkOf({ alg, key }: VerificationKey): PublicJwk | undefined {
    if (alg === 'EdDSA') return { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(key) };
    try {
        const { x, y } = pointOf(key);
        return { kty: 'EC', crv: 'P-256', x: encodeBase64Url(x), y: encodeBase64Url(y) };
    } catch {
        return undefined;
    }
}

function thumbprintOf(jwk: PublicJwk): Buffer {
    const { crv, kty, x } = jwk;
    const members = 'y' in jwk ? { crv, kty, x, y: jwk.y } : { crv, kty, x }; // in this order (RFC 7638, section 3.3)
    return hash('sha256', JSON.stringify(members), 'buffer');
}
