import type { Guard } from '../../platform/access/guard.ts';
import { LIVENESS_MARK_MS, type LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { ChangePasswordRequest, ChangePasswordResponse } from '../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import { guardSubject } from './guard-subject.ts';
import { requireComparablePassword, requireNewPassword } from './password-rules.ts';
import type { IdentityStore } from './store.ts';
import { noAccount, requireAccountId } from './user.ts';

/** Changes the caller's password and ends its other sessions. A wrong current password counts as a guess. */
export function passwordChange({
    store,
    passwords,
    guard,
    livenessMarks,
    clock,
}: {
    store: IdentityStore;
    passwords: Passwords;
    guard: Guard;
    livenessMarks: LivenessMarks;
    clock: () => number;
}) {
    /**
     * Resolves to true if the new password has replaced this version. Gateways refuse the ended sessions before the
     * commit.
     */
    async function replace(
        version: { user_id: string; password_version: number },
        change: { password_hash: string; keptSession: string | undefined; now: string },
        context: CallContext,
    ): Promise<boolean> {
        let failure: AppError | undefined;
        const refuse = async (ids: string[]) => {
            failure = await livenessMarks.refuse({ account: version.user_id, subject: 'session', ids }, context);
        };
        const replaced = await store.changePassword({ ...version, ...change }, refuse, context);
        if (replaced && failure) {
            const text = 'The password is changed, but sessions that end with it may be served for another minute.';
            const retryAfter = LIVENESS_MARK_MS / 1_000;
            throw new AppError('unavailable', text, { retry_after: retryAfter, reason: 'redis', cause: failure });
        }
        return replaced;
    }

    return async (
        { current_password, new_password }: ChangePasswordRequest,
        context: CallContext,
    ): Promise<ChangePasswordResponse> => {
        const userId = requireAccountId(context);
        requireComparablePassword(current_password, 'current_password');
        requireNewPassword(new_password, 'new_password');
        const { session_id, address, traceparent, deadline, cancellation } = context;
        const keptSession = session_id !== undefined && isId(session_id) ? session_id : undefined;
        const target = { subject: guardSubject({ user_id: userId }), address, traceparent, deadline, cancellation };
        const changedAt = await guard.attempt(target, async () => {
            const account = await store.findPasswordOf(userId, context);
            if (!account) throw noAccount();
            const { matches } = await passwords.verify(account.password_hash, current_password, context);
            if (!matches) return undefined;
            const passwordHash = await passwords.hash(new_password, context);
            const now = new Date(clock()).toISOString();
            if (await replace(account, { password_hash: passwordHash, keptSession, now }, context)) return now;
            // Another call has changed the password since it was verified. That is not a guess, so it does not count.
            throw wrong();
        });
        if (changedAt === undefined) throw wrong();
        return { changed_at: changedAt };
    };
}

function wrong(): AppError {
    return new AppError('unauthenticated', 'The current password is wrong.');
}
