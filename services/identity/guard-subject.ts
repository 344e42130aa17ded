import { createHash } from 'node:crypto';

/**
 * Under what guesses are counted: logins and changes of one account's password together, and on through a change of its
 * address; addresses without account by their hash, because Redis keys carry none in clear.
 */
export function guardSubject(target: { user_id: string } | { email: string }): string {
    if ('user_id' in target) return `login:${target.user_id}`;
    return `login:${createHash('sha256').update(target.email).digest('hex')}`;
}
