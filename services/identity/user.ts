import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { User } from '../../proto/gen/identity/v1/identity.ts';
import type { UserRow } from './users.store.ts';

/** Returns an account in the form that callers see. */
export function userOf({ user_id, email, name, tier, created_at, last_login_at }: UserRow): User {
    return {
        user_id,
        email,
        name: name ?? undefined,
        tier,
        created_at,
        last_login_at: last_login_at ?? undefined,
    };
}

/**
 * Returns the account that a call acts for. Throws AppError `not_found` if the text is not an id, because no account
 * has it.
 */
export function requireAccountId(context: CallContext): string {
    const userId = requireUser(context);
    if (!isId(userId)) throw noAccount();
    return userId;
}

export function noAccount(): AppError {
    return new AppError('not_found', 'This account does not exist.');
}
