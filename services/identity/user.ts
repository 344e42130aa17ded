import { type CallContext, requireUser } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { User } from '../../proto/gen/identity/v1/identity.ts';
import type { UserRow } from './users.store.ts';

/** An account in the form that callers see. */
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

/** The account that a call acts for. A text that is not an id belongs to no account. */
export function requireAccountId(context: CallContext): string {
    const user_id = requireUser(context);
    if (!isId(user_id)) throw noAccount();
    return user_id;
}

export function noAccount(): AppError {
    return new AppError('not_found', 'This account does not exist.');
}
