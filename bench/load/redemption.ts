import { jwtOf, newWalletKey, type WalletKey } from '../../test/support/wallets/wallet-keys.ts';
import { PUBLIC_URL } from '../public-url.ts';
import type { Answer } from './connection.ts';
import { encodeRequest } from './requests.ts';

/** Returns the next request of a dialogue, after the answers so far; undefined if the last one was its last. */
export type FollowUp = (first: Buffer, answers: readonly Answer[]) => Buffer | undefined;

/** The configuration of all offers. */
export const CONFIGURATION = 'employment';
/** Number of wallets, each with a key of its own. */
const WALLETS = 256;

/**
 * Wallets that take offered credentials (OpenID4VCI 1.0): the first request spends the code of an offer for an access
 * token, the second one gets a nonce, and the third one proves a key and gets the credential. Only the first one can be
 * prepared.
 */
export function redemption(): FollowUp {
    const keys = Array.from({ length: WALLETS }, () => newWalletKey());
    let turn = 0;
    return (first, answers) => {
        const [, issuerId = ''] = /^POST \/issuers\/([^/]+)/.exec(first.toString('latin1', 0, 80)) ?? [];
        const path = (name: string) => `/issuers/${issuerId}/${name}`;
        const [token, nonce, credential] = answers;
        if (!token || credential) return undefined;
        if (!nonce) return encodeRequest({ method: 'POST', path: path('nonce') });
        const key = keys[turn++ % WALLETS] as WalletKey; // there are so many
        const payload = {
            aud: `${PUBLIC_URL}/issuers/${issuerId}`,
            iat: Date.now() / 1_000,
            nonce: textIn(nonce, 'c_nonce'),
        };
        const jwt = [jwtOf(key, { typ: 'openid4vci-proof+jwt', jwk: key.jwk }, payload)];
        const body = { credential_configuration_id: CONFIGURATION, proofs: { jwt } };
        return encodeRequest({ method: 'POST', path: path('credential'), token: textIn(token, 'access_token'), body });
    };
}

/** The text of a field in the body of an answer. */
function textIn({ bytes }: Answer, field: string): string {
    return String(JSON.parse(bytes.toString('utf8', bytes.indexOf('\r\n\r\n')))[field]);
}
