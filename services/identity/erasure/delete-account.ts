import type { Guard } from '../../../platform/access/guard.ts';
import type { CallContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { DeleteAccountRequest, DeleteAccountResponse } from '../../../proto/gen/identity/v1/identity.ts';
import type { Passwords } from '../../../workers/crypto/passwords.ts';
import { guardSubject } from '../guard-subject.ts';
import { requireComparablePassword } from '../password-rules.ts';
import type { IdentityStore } from '../store.ts';
import { noAccount, requireAccountId } from '../user.ts';
import { type AccountEnd, accountEnd } from './end-account.ts';

/**
 * Deletes the caller's account. The decision is noted first: if the call is cut off then, the job ends what it has begun
 * (finish-erasures.ts), and its owner may repeat it while a session still works. A wrong password counts as a guess.
 */
export function accountDeletion({
    passwords,
    guard,
    ...ending
}: Omit<AccountEnd, 'store'> & { store: IdentityStore; passwords: Passwords; guard: Guard }) {
    const { store, clock } = ending;
    const end = accountEnd(ending);
    return async ({ password }: DeleteAccountRequest, context: CallContext): Promise<DeleteAccountResponse> => {
        const userId = requireAccountId(context);
        requireComparablePassword(password);
        const { address, traceparent, deadline, cancellation } = context;
        const target = { subject: guardSubject({ user_id: userId }), address, traceparent, deadline, cancellation };
        const erasedAt = await guard.attempt(target, async () => {
            const account = await store.findPasswordOf(userId, context);
            if (!account) throw noAccount();
            const { matches } = await passwords.verify(account.password_hash, password, context);
            if (!matches) return undefined;
            const decision = { ...account, now: new Date(clock()).toISOString() };
            // Another call may have changed the password since it was verified. That is not a guess, so it does not count.
            if (!(await store.decideErasure(decision, context))) throw wrong();
            return (await end(userId, context)) ?? Promise.reject(noAccount());
        });
        if (erasedAt === undefined) throw wrong();
        return { user_id: userId, erased_at: erasedAt };
    };
}

function wrong(): AppError {
    return new AppError('unauthenticated', 'The password is wrong.');
}
