import { createHmac } from 'node:crypto';

/**
 * Returns the subject under which password guesses are counted. Logins and password changes of one account share it,
 * even when the account's address changes.
 */
export function guardSubject(account: { user_id: string }): string {
    return `login:${account.user_id}`;
}

/**
 * The same for an address that no account has. Redis keys contain it, and nobody can guess the address from it without the
 * pepper: its owner may be somebody whose account was erased.
 */
export function guardSubjectOfAddress(email: string, pepper: string): string {
    return `login:${createHmac('sha256', pepper).update(email).digest('hex')}`;
}
