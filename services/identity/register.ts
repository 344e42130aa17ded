import type { Guard } from '../../platform/access/guard.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { RegisterRequest, type User } from '../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import type { Claim, HeldClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { requireName } from '../texts.ts';
import { oldFormsOf, requireEmail } from './email.ts';
import { requireNewPassword } from './password-rules.ts';
import { confirmSamePassword } from './same-password.ts';
import { type IdentityStore, insertUser } from './store.ts';

interface RegistrationDependencies {
    store: IdentityStore;
    passwords: Passwords;
    guard: Guard;
    idempotency: Idempotency;
    clock: () => number;
}

/** Creates one account. */
export function registration(deps: RegistrationDependencies) {
    const { store, passwords, idempotency, clock } = deps;
    return async (request: RegisterRequest, context: CallContext): Promise<User> => {
        const email = requireEmail(request.email);
        requireNewPassword(request.password);
        const name = request.name === undefined ? undefined : requireName(request.name);
        // The password is not in the fingerprint: see confirmSamePassword().
        const message = { ...request, email, name, password: '' };
        const claim = idempotency.claimOf(
            { operation: 'internal.auth.register', codec: RegisterRequest, message },
            context,
        );

        const userOf = ({ id, made_at }: Pick<HeldClaim, 'id' | 'made_at'>) =>
            ({ user_id: id, email, name, tier: 'free', created_at: made_at }) as const;
        const write = async (): Promise<User | undefined> => {
            // The password is hashed before the address is looked up, so that the duration reveals nothing.
            const passwordHash = await passwords.hash(request.password, context);
            const now = clock();
            const made = { id: newId(now), made_at: new Date(now).toISOString() };
            const user = userOf(made);
            const row = { ...user, password_hash: passwordHash };
            const newClaim = claim && { ...claim, ...made, claimant: made.id, sealed: null };
            const outcome = await insertUser(
                store,
                { row, oldForms: oldFormsOf(request.email), claim: newClaim },
                context,
            );
            if (outcome === 'refused') throw new AppError('conflict', 'This email is already registered.');
            return outcome === 'written' ? user : undefined;
        };
        const replay = async (held: HeldClaim, claim: Claim): Promise<User> => {
            await confirmSamePassword(deps, { held, claim, password: request.password }, context);
            return userOf(held);
        };
        return idempotency.once(claim, { write, replay, lookFirst: true }, context);
    };
}
