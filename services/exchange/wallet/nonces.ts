import { decodeBase64Url, encodeBase64Url } from '../../../platform/base64.ts';
import { sharedSeal } from '../../shared-seal.ts';

/**
 * The nonces of key proofs (OpenID4VCI 1.0, section 7). Nothing is stored: a nonce is its time, sealed for one issuer, and
 * any process of the role knows it again. It may be used several times, because a key gets one credential of an offer.
 */
export interface Nonces {
    make(issuerId: string): string;
    /** True if it was made for this issuer less than five minutes ago. */
    knows(nonce: string, issuerId: string): boolean;
}

/** How long a nonce can be used, in milliseconds. Beyond it: `invalid_nonce`. */
export const LIFETIME_MS = 300_000;
/** Length of a nonce, in characters: a sealed time has 37 bytes. Beyond it: it is none. */
const NONCE_LENGTH = 50;

/** Nonces are sealed with the first of the secrets, and known by any of them. All processes must have the same ones. */
export function nonces(secrets: readonly [string, ...string[]], clock: () => number): Nonces {
    const shared = sharedSeal(secrets, 'proof nonces');
    return {
        make(issuerId) {
            const time = Buffer.alloc(8);
            time.writeDoubleBE(clock());
            return encodeBase64Url(shared.seal(time, [issuerId]));
        },
        knows(nonce, issuerId) {
            const sealed = nonce.length === NONCE_LENGTH ? decodeBase64Url(nonce) : undefined;
            const time = sealed && shared.open(sealed, [issuerId]);
            return time !== undefined && clock() - time.readDoubleBE() < LIFETIME_MS;
        },
    };
}
