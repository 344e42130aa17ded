import type { Guard } from '../../platform/access/guard.ts';
import type { CallContext } from '../../platform/context.ts';
import type { Passwords } from '../../workers/crypto/passwords.ts';
import type { Claim, HeldClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { guardSubject } from './guard-subject.ts';
import type { IdentityStore } from './store.ts';

interface SamePasswordDependencies {
    store: Pick<IdentityStore, 'findPasswordOf'>;
    passwords: Passwords;
    guard: Guard;
    idempotency: Idempotency;
}

/**
 * Checks that a repeated call has the password of the account that the first one has created. The fingerprint of a
 * claim does not contain the password, because whoever knows the Idempotency-Key could guess it at the speed of a fast
 * hash. Throws AppError `unprocessable` if it is another password, which counts as a guess, and `rate_limited` after
 * too many of them.
 */
export async function confirmSamePassword(
    { store, passwords, guard, idempotency }: SamePasswordDependencies,
    { held, claim, password }: { held: HeldClaim; claim: Claim; password: string },
    context: CallContext & { background?: boolean },
): Promise<void> {
    const { address, traceparent, deadline, cancellation } = context;
    const target = { subject: guardSubject({ user_id: held.id }), address, traceparent, deadline, cancellation };
    const isSame = await guard.attempt(target, async () => {
        const account = await store.findPasswordOf(held.id, context);
        if (!account) return undefined;
        const { matches } = await passwords.verify(account.password_hash, password, context);
        return matches || undefined;
    });
    if (!isSame) throw idempotency.conflictOf(claim);
}
