import { hash, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { sealAs, unsealAs } from '../../workers/crypto/seal.ts';

/*
 * The secrets of an offer. Only its link has the secret, from which the pre-authorized code is derived. The claims are
 * sealed under the code, and from its spending on under the access token. The database has the hashes of all three, so a
 * copy of it neither opens an offer nor lets anybody guess a transaction code.
 */

/** Length of secrets, codes and access tokens, in bytes: nobody guesses one. */
const SECRET_BYTES = 32;
const KEY_BYTES = 32;
/** Length of the hash of a transaction code, in bytes. */
const TX_HASH_BYTES = 16;
const DIGITS = '0123456789';
/** Without those that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A new secret of an offer, or a new access token: 43 characters of base64url. */
export function newSecret(): string {
    return randomBytes(SECRET_BYTES).toString('base64url');
}

/** The pre-authorized code of the offer with this secret. */
export function codeOf(secret: string): string {
    return derived(secret, '', 'pre-authorized code', SECRET_BYTES).toString('base64url');
}

/** What the database has of a secret, a code or an access token. */
export function hashOf(secret: string): Buffer {
    return hash('sha256', secret, 'buffer');
}

/** Seals what belongs to an offer. It opens with the same secret, offer and pepper alone. */
export function sealFor(offer: string, plain: Uint8Array, { secret, pepper }: { secret: string; pepper: string }) {
    return sealAs(plain, derived(secret, pepper, 'offer', KEY_BYTES), Buffer.from(offer));
}

/** Returns the plain bytes; undefined if they were sealed for another offer, secret or pepper. */
export function unsealFor(offer: string, sealed: Uint8Array, { secret, pepper }: { secret: string; pepper: string }) {
    return unsealAs(sealed, derived(secret, pepper, 'offer', KEY_BYTES), Buffer.from(offer));
}

/** A new transaction code. */
export function newTxCode({ length, input_mode }: { length: number; input_mode: string }): string {
    const alphabet = input_mode === 'numeric' ? DIGITS : LETTERS;
    return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/**
 * What the database has of a transaction code. Nobody can guess it without the code and the pepper. Codes have capitals
 * only, so a holder may type small letters.
 */
export function txHashOf(txCode: string, { code, pepper }: { code: string; pepper: string }): Buffer {
    // HKDF takes a short purpose, and a wallet may send any text.
    return derived(code, pepper, `transaction code ${hash('sha256', txCode.toUpperCase())}`, TX_HASH_BYTES);
}

/** What the database has of the subject of an offer. Nobody can guess a DID without the pepper. */
export function subjectHashOf(did: string, pepper: string): Buffer {
    return derived(did, pepper, 'subject', KEY_BYTES);
}

function derived(secret: string, salt: string, purpose: string, bytes: number): Buffer {
    return Buffer.from(hkdfSync('sha256', secret, salt, purpose, bytes));
}
