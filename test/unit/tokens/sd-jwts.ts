import {
    createPrivateKey,
    createPublicKey,
    generateKeyPairSync,
    hash,
    type KeyObject,
    randomBytes,
    sign,
} from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '../../../platform/base64.ts';
import { conceal } from '../../../tokens/concealing.ts';
import { type OpenSdJwtVcRequest, openSdJwtVc, type SdJwtVc } from '../../../tokens/sd-jwt-vc.ts';
import { keyOfJwk } from '../../../tokens/verification-key.ts';
import { decodeUtf8, PRIMITIVES } from '../../../verify/src/primitives.ts';
import { encodeDidKey, encodeP256DidKey } from '../../../workers/crypto/did-key.ts';

export const digest = (text: string): string => hash('sha256', text, 'base64url');
/** What reading and making SD-JWTs needs. */
export const NODE = { decodeBase64Url, encodeBase64Url, decodeUtf8, digest, randomBytes };

export const encoded = (value: unknown): string => encodeBase64Url(Buffer.from(JSON.stringify(value)));
/** Returns a disclosure, whatever its content is. */
export const disclosure = encoded;

export interface Party {
    alg: 'EdDSA' | 'ES256';
    /** The did:key. */
    did: string;
    jwk: Record<string, unknown>;
    /** Signs with node:crypto, without code of the service. */
    sign(text: string): string;
}

/** Returns a new key pair, as an issuer or a holder has one. */
export function party(alg: Party['alg']): Party {
    const { privateKey } =
        alg === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return partyOf(privateKey, alg);
}

/** Returns the owner of a private key as the service returns it: 64 bytes in base64. */
export function partyWith({ private_key }: { private_key: string }): Party {
    const seed = Buffer.from(private_key, 'base64').subarray(0, 32);
    const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]); // RFC 8410
    return partyOf(createPrivateKey({ key, format: 'der', type: 'pkcs8' }), 'EdDSA');
}

function partyOf(privateKey: KeyObject, alg: Party['alg']): Party {
    const jwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }) };
    const key = keyOfJwk(jwk, NODE);
    if (key === undefined) throw new Error('Node makes keys that can be read.');
    return {
        alg,
        did: key.alg === 'EdDSA' ? encodeDidKey(key.key) : encodeP256DidKey(key.key),
        jwk,
        sign(text) {
            const hashName = alg === 'EdDSA' ? null : 'sha256';
            const signature = sign(hashName, Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
            return encodeBase64Url(signature);
        },
    };
}

export interface Made {
    issuer: Party;
    header?: Record<string, unknown>;
    /** Further members of the payload; undefined leaves one out. */
    payload?: Record<string, unknown>;
    claims?: Record<string, unknown>;
    /** JSON pointers; all claims by default. */
    disclosable?: readonly string[];
}

export const ID = 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057';
/** What the payloads of the tokens in tests have beside claims. */
export const registered = ({ did }: Party) => ({
    ...{ jti: ID, iss: did, sub: 'did:web:ada.example', vct: 'https://a.example/employment' },
    ...{ iat: 1_767_225_600, exp: 32_472_144_000 },
});

/** Returns a JWT, whatever its header and payload are. */
export function jwt(signer: Party, header: Record<string, unknown>, payload: unknown): string {
    const signed = `${encoded({ alg: signer.alg, ...header })}.${encoded(payload)}`;
    return `${signed}.${signer.sign(signed)}`;
}

/** Returns an SD-JWT VC with all its disclosures. */
export function sdJwt({ issuer, header, payload, claims = { role: 'engineer' }, disclosable }: Made): string {
    const concealed = conceal(claims, disclosable, NODE);
    if ('fault' in concealed) throw new Error(concealed.fault);
    const members = { ...registered(issuer), ...payload, ...concealed.payload };
    return [jwt(issuer, { typ: 'dc+sd-jwt', ...header }, members), ...concealed.disclosures, ''].join('~');
}

interface Bound {
    holder: Party;
    header?: Record<string, unknown>;
    /** Further members of the payload; undefined leaves one out. */
    payload?: Record<string, unknown>;
}

/** Returns an SD-JWT that its holder has signed, at the beginning of 2026, for a verifier. */
export function bound(token: string, { holder, header, payload }: Bound): string {
    const members = { iat: 1_767_225_600, aud: 'https://verifier.example', nonce: 'n-1', sd_hash: digest(token) };
    return token + jwt(holder, { typ: 'kb+jwt', ...header }, { ...members, ...payload });
}

export const nameOf = ({ did }: Party): string => did.slice('did:key:'.length);
export const didJwk = ({ jwk }: Party): string => `did:jwk:${encoded(jwk)}`;

/** Opens a token that must be good. */
export function open(token: string, more: Omit<OpenSdJwtVcRequest, 'token'> = {}): SdJwtVc {
    const opened = openSdJwtVc({ token, ...more }, PRIMITIVES);
    if (!opened.ok) throw new Error(opened.reason);
    return opened.credential;
}

/** Returns why a token is refused. */
export function faultOf(token: string, more: Omit<OpenSdJwtVcRequest, 'token'> = {}): string {
    const opened = openSdJwtVc({ token, ...more }, PRIMITIVES);
    return opened.ok ? 'accepted' : opened.reason;
}
