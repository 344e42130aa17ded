import { createHash, randomUUID } from 'node:crypto';
import { jwtOf, type WalletKey } from '../../support/wallets/wallet-keys.ts';
import { type Answer, send } from '../support/client.ts';
import { GRANT } from './exchange-examples.ts';

/** A wallet that does by hand what a wallet does, right or wrong. */

export const seconds = () => Math.floor(Date.now() / 1_000);
export const identifierOf = (issuerId: string) => `https://credentials.example/issuers/${issuerId}`;

/** A DPoP proof. `claims` overrides what it says. */
export function dpopProof(key: WalletKey, url: string, claims: object = {}): string {
    const payload = { htm: 'POST', htu: url, iat: seconds(), jti: randomUUID(), ...claims };
    return jwtOf(key, { typ: 'dpop+jwt', jwk: key.jwk }, payload);
}

export function athOf(token: string): string {
    return createHash('sha256').update(token).digest('base64url');
}

/** Sends a form to the token endpoint of an issuer. */
export function tokenCall(
    issuerId: string,
    form: Record<string, string> | string,
    more: { headers?: Record<string, string>; gateway?: number } = {},
): Promise<Answer> {
    return send({
        method: 'POST',
        path: `/issuers/${issuerId}/token`,
        body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
        ...more,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...more.headers },
    });
}

export function redemption(code: string, txCode?: string): Record<string, string> {
    return { grant_type: GRANT, 'pre-authorized_code': code, ...(txCode !== undefined && { tx_code: txCode }) };
}

/** The status of a refusal and the name of the error. */
export const refusedWith = ({ status, body }: Answer) => [status, body.error];
