import type { User } from '../../proto/gen/identity/v1/identity.ts';
import type { UserRow } from './store.ts';

/** An account as callers see it. */
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
