import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key of a wallet, and the JWTs that it signs, right or wrong. */
export interface WalletKey {
    alg: 'ES256' | 'EdDSA';
    privateKey: KeyObject;
    jwk: Record<string, unknown>;
}

export function newWalletKey(alg: WalletKey['alg'] = 'ES256'): WalletKey {
    const pair = alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
    return { alg, privateKey: pair.privateKey, jwk: { ...pair.publicKey.export({ format: 'jwk' }) } };
}

/** `header` overrides what a right header says. */
export function jwtOf({ alg, privateKey }: WalletKey, header: object, payload: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg, ...header })}.${part(payload)}`;
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
    const signature = sign(alg === 'ES256' ? 'sha256' : null, Buffer.from(signed), key);
    return `${signed}.${signature.toString('base64url')}`;
}
