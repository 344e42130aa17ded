import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { RegisterRequest, User } from '../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { requireName } from '../texts.ts';
import { requireEmail } from './email.ts';
import { requireNewPassword } from './password-rules.ts';
import type { IdentityStore } from './store.ts';

/** Creates one account. */
export function registration({
    store,
    passwords,
    clock,
}: {
    store: IdentityStore;
    passwords: Passwords;
    clock: () => number;
}) {
    return async (request: RegisterRequest, context: CallContext): Promise<User> => {
        const email = requireEmail(request.email);
        requireNewPassword(request.password);
        const name = request.name === undefined ? undefined : requireName(request.name);
        // The password is hashed before the address is looked up, so that the duration reveals nothing.
        const passwordHash = await passwords.hash(request.password, context);
        const now = clock();
        const createdAt = new Date(now).toISOString();
        const user = { user_id: newId(now), email, name, tier: 'free', created_at: createdAt } as const;
        if (await store.insertUser({ ...user, password_hash: passwordHash }, context)) return user;
        throw new AppError('conflict', 'This email is already registered.');
    };
}
