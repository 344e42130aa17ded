import { AppError } from '../../platform/errors.ts';
import type { Guard } from '../../platform/guard.ts';
import { newId } from '../../platform/ids.ts';
import type { Marks } from '../../platform/marks.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { IdentityServiceDefinition } from '../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { requireName } from '../texts.ts';
import { sessionRateLimit } from '../tiers.ts';
import { passwordChange } from './change-password.ts';
import { userCreation } from './create-users.ts';
import { requireEmail } from './email.ts';
import { login } from './login.ts';
import { requireNewPassword } from './password-rules.ts';
import { sessions } from './sessions.ts';
import type { IdentityStore } from './store.ts';
import type { SessionTokens } from './tokens.ts';
import { userUpdate } from './update-user.ts';
import { noAccount, requireAccountId, userOf } from './user.ts';

interface IdentityDependencies {
    store: IdentityStore;
    passwords: Passwords;
    tokens: SessionTokens;
    guard: Guard;
    marks: Marks;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** Accounts, and the sessions that are opened on them. */
export function identityService(dependencies: IdentityDependencies): ServiceOf<typeof IdentityServiceDefinition> {
    const { store, passwords, tokens, clock } = dependencies;
    const { findLive, refresh, logout } = sessions(dependencies);

    return {
        async register(request, context) {
            const email = requireEmail(request.email);
            requireNewPassword(request.password);
            const name = request.name === undefined ? undefined : requireName(request.name);
            // Hashed before anybody looks whether the address is taken: the time taken tells nothing.
            const password_hash = await passwords.hash(request.password, context);
            const now = clock();
            const created_at = new Date(now).toISOString();
            const user = { user_id: newId(now), email, name, tier: 'free', created_at } as const;
            if (await store.insertUser({ ...user, password_hash }, context)) return user;
            throw new AppError('conflict', 'This email is already registered.');
        },

        login: login(dependencies),
        logout,
        refresh,

        async introspect({ token }, context) {
            const verdict = tokens.verify(token, 'access');
            const session = 'claims' in verdict ? await findLive(verdict.claims.sid, context) : undefined;
            if (!session) throw new AppError('unauthenticated', 'The token is invalid or expired.');
            return userOf(session);
        },

        async getUser(_request, context) {
            const row = await store.findUser(requireAccountId(context), context);
            if (!row) throw noAccount();
            return userOf(row);
        },

        updateUser: userUpdate(dependencies),
        changePassword: passwordChange(dependencies),

        createUsers: userCreation(dependencies),

        async confirmSession({ session_id }, context) {
            const session = await findLive(session_id, context);
            if (!session) return { alive: false, user_id: '', tier: '', rate_limit: 0 };
            const { user_id, tier } = session;
            return { alive: true, user_id, tier, rate_limit: sessionRateLimit(tier) };
        },

        async listSigningKeys() {
            return { keys: [...tokens.signing_keys] };
        },

        async ping() {
            await store.ping();
            return {};
        },
    };
}
