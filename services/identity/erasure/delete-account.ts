import type { Guard } from '../../../platform/access/guard.ts';
import type { LivenessMarks } from '../../../platform/access/liveness-marks.ts';
import { type CallContext, withoutIdempotencyKey } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { DeleteAccountRequest, DeleteAccountResponse } from '../../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../../workers/crypto/passwords.ts';
import { guardSubject } from '../guard-subject.ts';
import { requireComparablePassword } from '../password-rules.ts';
import type { IdentityStore } from '../store.ts';
import { noAccount, requireAccountId } from '../user.ts';
import type { ErasedServices } from './erased-services.ts';

/**
 * Deletes the caller's account. First its API keys go, then its sessions with the account itself, each after the gateways
 * were told. If they cannot be told, the account stays and its owner repeats the call. A wrong password counts as a guess.
 * What the services store besides is erased later (finish-erasures.ts).
 */
export function accountDeletion({
    store,
    passwords,
    guard,
    livenessMarks,
    keys,
    clock,
}: {
    store: IdentityStore;
    passwords: Passwords;
    guard: Guard;
    livenessMarks: LivenessMarks;
    keys: ErasedServices['keys'];
    clock: () => number;
}) {
    return async ({ password }: DeleteAccountRequest, context: CallContext): Promise<DeleteAccountResponse> => {
        const userId = requireAccountId(context);
        requireComparablePassword(password);
        const { address, traceparent, deadline, cancellation } = context;
        const target = { subject: guardSubject({ user_id: userId }), address, traceparent, deadline, cancellation };
        const refuse = async (ids: string[]) => {
            const failure = await livenessMarks.refuse({ account: userId, subject: 'session', ids }, context);
            if (failure) throw notTold('redis', failure);
        };
        const erasedAt = await guard.attempt(target, async () => {
            const account = await store.findPasswordOf(userId, context);
            if (!account) throw noAccount();
            const { matches } = await passwords.verify(account.password_hash, password, context);
            if (!matches) return undefined;
            // Another call may have changed the password since it was verified. That is not a guess, so it does not count.
            const current = await store.findPasswordOf(userId, context);
            if (current?.password_version !== account.password_version) throw wrong();
            // From here on the deletion is decided: a later change of the password does not stop it.
            await eraseKeys(keys, userId, context);
            const now = new Date(clock()).toISOString();
            if (!(await store.deleteAccount({ user_id: userId, now }, refuse, context))) throw noAccount();
            return now;
        });
        if (erasedAt === undefined) throw wrong();
        return { user_id: userId, erased_at: erasedAt };
    };
}

async function eraseKeys(keys: ErasedServices['keys'], userId: string, context: CallContext): Promise<void> {
    const own = { ...withoutIdempotencyKey(context), user_id: undefined, session_id: undefined, trusted: true };
    try {
        while (!(await keys.eraseAccount({ user_id: userId }, own)).done);
    } catch (cause) {
        throw notTold('keys', cause);
    }
}

function notTold(reason: string, cause: unknown): AppError {
    const text = 'The account is not erased, because its API keys or sessions cannot be ended now. Try again shortly.';
    return new AppError('unavailable', text, { retry_after: 1, reason, cause });
}

function wrong(): AppError {
    return new AppError('unauthenticated', 'The password is wrong.');
}
