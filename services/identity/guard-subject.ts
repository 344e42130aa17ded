import { hash } from 'node:crypto';

/**
 * Returns the subject under which password guesses are counted. Logins and password changes of one account share it,
 * even when the account's address changes. For an unknown address it contains the address's hash, because Redis keys
 * never contain addresses.
 */
export function guardSubject(target: { user_id: string } | { email: string }): string {
    if ('user_id' in target) return `login:${target.user_id}`;
    return `login:${hash('sha256', target.email)}`;
}
