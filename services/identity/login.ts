import { randomBytes } from 'node:crypto';
import { accountSuspended } from '../../platform/access/account-suspended.ts';
import type { Guard } from '../../platform/access/guard.ts';
import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { RequestCounts } from '../../platform/access/request-counts.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { LoginRequest, LoginResponse } from '../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import type { Quota } from '../quotas.ts';
import { formsOf, normaliseEmail } from './email.ts';
import { guardSubject, guardSubjectOfAddress } from './guard-subject.ts';
import { requireComparablePassword } from './password-rules.ts';
import type { IdentityStore } from './store.ts';
import type { SessionIssuer } from './tokens.ts';
import { userOf } from './user.ts';
import { accountsOf, type PasswordRow } from './users.store.ts';

interface LoginDependencies {
    store: IdentityStore;
    passwords: Passwords;
    tokens: SessionIssuer;
    guard: Guard;
    pepper: string;
    livenessMarks: LivenessMarks;
    /** Maximum number of sessions of an account. */
    sessionQuota: Quota;
    requestCounts: Pick<RequestCounts, 'loggedIn'>;
    clock: () => number;
}

/** Opens a session. An unknown email gets the same answer as a wrong password, after the same work. */
export function login(dependencies: LoginDependencies) {
    const { store, passwords, guard, pepper } = dependencies;
    const standIn = unmatchedHash(passwords);

    return async (request: LoginRequest, context: CallContext): Promise<LoginResponse> => {
        requireComparablePassword(request.password);
        const email = normaliseEmail(request.email);
        // PostgreSQL cannot store NUL and lone surrogates, so no account has them.
        const storable = !email.includes('\0') && email.isWellFormed();
        const [account] = storable ? await accountsOf(store, formsOf(request.email), context) : [];
        const subject = account ? guardSubject(account) : guardSubjectOfAddress(email, pepper);
        const { address, traceparent, deadline, cancellation } = context;
        const target = { subject, unknown: account === undefined, address, traceparent, deadline, cancellation };
        const opened = await guard.attempt(target, async () => {
            const phc = account?.password_hash ?? (await standIn());
            const { matches, rehash } = await passwords.verify(phc, request.password, context);
            if (!account || !matches) return undefined;
            if (account.suspended_at !== null) throw accountSuspended();
            const upgradedHash = rehash ? await passwords.hash(request.password, context) : undefined;
            return openSession(dependencies, account, upgradedHash, context);
        });
        if (opened) return opened;
        throw new AppError('unauthenticated', 'The email or the password is wrong.');
    };
}

async function openSession(
    dependencies: LoginDependencies,
    account: PasswordRow,
    upgradedHash: string | undefined,
    context: CallContext,
): Promise<LoginResponse | undefined> {
    const { store, tokens, requestCounts, clock } = dependencies;
    const now = clock();
    const sessionId = newId(now);
    const { token, refresh_token, expires_at, refresh_id, session_expires_at } = tokens.issue({
        ...account,
        session_id: sessionId,
    });
    const session = {
        session_id: sessionId,
        user_id: account.user_id,
        password_version: account.password_version,
        upgradedHash,
        refresh_id,
        now: new Date(now).toISOString(),
        expires_at: session_expires_at,
    };
    const user = await store.openSession(session, context);
    if (user) {
        requestCounts.loggedIn(user.user_id);
        await endSurplus(dependencies, user, context);
    }
    return user && { user: userOf(user), session: { token, refresh_token, expires_at } };
}

/**
 * Removes the account's sessions beyond its quota: first sessions that have ended, then the oldest open ones, which
 * ends them. Each login does this after its own session exists. So if several logins run at once, the last one leaves
 * no surplus.
 */
async function endSurplus(
    { store, livenessMarks, sessionQuota, clock }: LoginDependencies,
    { user_id, tier }: Pick<PasswordRow, 'user_id' | 'tier'>,
    context: CallContext,
): Promise<void> {
    const now = new Date(clock()).toISOString();
    const surplus = await store.findSurplus({ user_id, keep: sessionQuota[tier], now }, context);
    if (surplus.length === 0) return;
    const ids = surplus.filter(({ is_open }) => is_open).map(({ session_id }) => session_id);
    // If Redis is unreachable, gateways may accept these sessions for another minute. That is no reason to refuse the
    // login.
    if (ids.length > 0) await livenessMarks.refuse({ account: user_id, subject: 'session', ids }, context);
    await store.forgetSessions(
        surplus.map(({ session_id }) => session_id),
        context,
    );
}

/**
 * Returns a function that gives a hash at the current cost that no password matches. The hash is made once. If that
 * fails, the next call tries again.
 */
function unmatchedHash(passwords: Passwords): () => Promise<string> {
    let made: Promise<string> | undefined;
    const get = (): Promise<string> => {
        made ??= passwords.hash(randomBytes(32).toString('base64'));
        made.catch(() => {
            made = undefined;
        });
        return made;
    };
    void get(); // now, because the first login would otherwise take twice as long
    return get;
}
