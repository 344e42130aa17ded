import { accountSuspended } from '../../platform/access/account-suspended.ts';
import type { Guard } from '../../platform/access/guard.ts';
import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { RequestCounts } from '../../platform/access/request-counts.ts';
import { AppError } from '../../platform/errors.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import type { IdentityServiceDefinition } from '../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import type { Cursors } from '../cursors.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type Quota, quotaOf } from '../quotas.ts';
import { sessionRateLimit } from '../tiers.ts';
import { passwordChange } from './change-password.ts';
import { userCreation } from './create-users.ts';
import { accountDeletion } from './erasure/delete-account.ts';
import type { ErasedServices } from './erasure/erased-services.ts';
import { userImport } from './import/import-users.ts';
import { login } from './login.ts';
import { registration } from './register.ts';
import { sessionList } from './session-list/list.ts';
import { sessions } from './sessions.ts';
import type { IdentityStore } from './store.ts';
import { suspender } from './suspension/suspend.ts';
import type { SessionIssuer } from './tokens.ts';
import { userUpdate } from './update-user.ts';
import { noAccount, requireAccountId, userOf } from './user.ts';

interface IdentityDependencies {
    store: IdentityStore;
    passwords: Passwords;
    tokens: SessionIssuer;
    guard: Guard;
    /** Hides addresses that no account has from those who read Redis. The same in all processes. */
    pepper: string;
    idempotency: Idempotency;
    livenessMarks: LivenessMarks;
    requestCounts: Pick<RequestCounts, 'loggedIn'>;
    cursors: Cursors;
    keys: ErasedServices['keys'];
    /** Maximum number of sessions of an account. */
    sessionQuota: Quota;
    /** Milliseconds since 1970. */
    clock: () => number;
}

const NOT_ALIVE = { alive: false, user_id: '', tier: '', rate_limit: 0, version: 0 };

/** Accounts and their sessions. */
export function identityService(dependencies: IdentityDependencies): ServiceOf<typeof IdentityServiceDefinition> {
    const { store, tokens, sessionQuota, clock } = dependencies;
    const { findLive, refresh, logout } = sessions(dependencies);

    return {
        register: registration(dependencies),
        login: login(dependencies),
        logout,
        refresh,

        async introspect({ token }, context) {
            const verdict = tokens.verify(token, 'access');
            const session = 'claims' in verdict ? await findLive(verdict.claims.sid, context) : undefined;
            if (!session) throw new AppError('unauthenticated', 'The token is invalid or expired.');
            if (session.suspended_at !== null) throw accountSuspended();
            return userOf(session);
        },

        async getUser(_request, context) {
            const row = await store.findUser(requireAccountId(context), context);
            if (!row) throw noAccount();
            return userOf(row);
        },

        updateUser: userUpdate(dependencies),
        changePassword: passwordChange(dependencies),
        deleteAccount: accountDeletion(dependencies),

        createUsers: userCreation(dependencies),
        importUsers: userImport(dependencies),
        setSuspension: suspender(dependencies),

        listSessions: sessionList(dependencies),

        async confirmSession({ session_id }, context) {
            const session = await findLive(session_id, context);
            if (!session || session.suspended_at !== null) return { ...NOT_ALIVE, suspended: session !== undefined };
            const { user_id, tier, suspension_version: version } = session;
            return { alive: true, user_id, tier, rate_limit: sessionRateLimit(tier), version, suspended: false };
        },

        async getQuotas(_request, context) {
            const userId = requireAccountId(context);
            const used = await store.countOpen({ user_id: userId, now: new Date(clock()).toISOString() }, context);
            return { sessions: { used, limit: quotaOf(sessionQuota, context) } };
        },

        async listSigningKeys() {
            return { keys: [...tokens.signingKeys] };
        },

        async getTime() {
            return { unix_ms: await store.now() };
        },

        async ping() {
            await store.ping();
            return {};
        },
    };
}
