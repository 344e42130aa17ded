import { hkdfSync } from 'node:crypto';

/** What the derived bytes are for. The same pepper derives what belongs to Idempotency-Keys and offers. */
const PURPOSE = 'login with an unknown address';
const KEY_BYTES = 32;

/**
 * Returns the subject under which password guesses are counted. Logins and password changes of one account share it,
 * even when the account's address changes.
 */
export function guardSubject(account: { user_id: string }): string {
    return `login:${account.user_id}`;
}

/**
 * The same for an address that no account has. Redis keys contain it. It is derived from the pepper (HKDF), so a reader of
 * Redis cannot guess the address, which may be that of an erased person.
 */
export function guardSubjectOfAddress(email: string, pepper: string): string {
    return `login:${Buffer.from(hkdfSync('sha256', email, pepper, PURPOSE, KEY_BYTES)).toString('hex')}`;
}
