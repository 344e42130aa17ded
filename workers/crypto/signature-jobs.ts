import { KeyObject } from 'node:crypto';
import { encodeBase64Url } from '../../platform/base64.ts';
import { AppError } from '../../platform/errors.ts';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { type Opened, type OpenRequest, openToken as open } from '../../tokens/open.ts';
import { type OpenedSdJwtVc, type OpenSdJwtVcRequest, openSdJwtVc as openVc } from '../../tokens/sd-jwt-vc.ts';
import { encodeDidKey, encodeP256DidKey } from './did-key.ts';
import { generateKeyPair, type KeyPair, keyPairFrom, sameBytes, sign } from './ed25519.ts';
import { generateKeyPair as generateP256KeyPair, type P256KeyPair, sign as signEs256 } from './es256.ts';
import { signToken } from './paseto.ts';
import { PRIMITIVES } from './primitives.ts';

export interface NewKey extends KeyPair {
    did: string;
}

/** A new P-256 key. Its secret has 32 bytes, as a seed has. */
export interface NewP256Key extends P256KeyPair {
    did: string;
}

export interface SignRequest {
    /** The did:key that signs the payload. */
    did: string;
    /** Its 32-byte seed, or 64 bytes: seed, then public key. */
    secretKey: Uint8Array;
    /** JSON text. */
    payload: string;
}

export interface JwsRequest {
    /** The 32-byte seed of an Ed25519 key, or the signing key of a P-256 key (es256.ts). */
    secretKey: Uint8Array | KeyObject;
    /** JSON texts. The header has the algorithm of the key. */
    header: string;
    payload: string;
}

export function generateKey(): NewKey {
    const pair = generateKeyPair();
    return { did: encodeDidKey(pair.public_key), ...pair };
}

export function generateP256Key(): NewP256Key {
    const pair = generateP256KeyPair();
    return { did: encodeP256DidKey(pair.public_key), ...pair };
}

/** Returns the key pair. Throws AppError `invalid` if the key is malformed or does not belong to the DID. */
export function signerOf({ did, secretKey }: Pick<SignRequest, 'did' | 'secretKey'>): KeyPair {
    const pair = keyPairFrom(secretKey);
    if (pair === undefined) throw new AppError('invalid', 'The private key is not an Ed25519 private key.');
    const expected = decodeDidKey(did);
    if (expected === undefined || !sameBytes(expected, pair.public_key)) {
        throw new AppError('invalid', 'The private key does not belong to the DID.');
    }
    return pair;
}

/** Returns a v4.public token. Throws as signerOf() does. */
export function signPayload(request: SignRequest): string {
    const { seed, public_key } = signerOf(request);
    return signToken(request.payload, seed, public_key);
}

/** Returns a JWS in its compact form (RFC 7515, section 7.1). */
export function signJws({ secretKey, header, payload }: JwsRequest): string {
    const signed = `${encodeBase64Url(Buffer.from(header))}.${encodeBase64Url(Buffer.from(payload))}`;
    return `${signed}.${encodeBase64Url(jwsSignature(secretKey, Buffer.from(signed)))}`;
}

function jwsSignature(secretKey: JwsRequest['secretKey'], message: Uint8Array): Uint8Array {
    if (secretKey instanceof KeyObject) return signEs256(message, secretKey);
    const pair = keyPairFrom(secretKey);
    if (!pair) throw new Error('an Ed25519 key has another length');
    return sign(message, pair.seed, pair.public_key);
}

/** Checks the form, the signature and the payload of a v4.public token. */
export function openToken(request: OpenRequest): Opened {
    return open(request, PRIMITIVES);
}

/** Checks the form, the signatures and the content of an SD-JWT VC. */
export function openSdJwtVc(request: OpenSdJwtVcRequest): OpenedSdJwtVc {
    return openVc(request, PRIMITIVES);
}
