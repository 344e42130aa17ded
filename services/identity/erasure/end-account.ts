import type { LivenessMarks } from '../../../platform/access/liveness-marks.ts';
import { type CallContext, withoutIdempotencyKey } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { IdentityStore } from '../store.ts';
import type { ErasedServices } from './erased-services.ts';

export interface AccountEnd {
    store: Pick<IdentityStore, 'removeAccount'>;
    livenessMarks: Pick<LivenessMarks, 'refuse'>;
    keys: ErasedServices['keys'];
    /** Milliseconds since 1970. */
    clock: () => number;
}

/**
 * Returns a function that ends an account whose erasure is decided: first its API keys go, then its sessions with the account
 * itself, each after the gateways were told. It may be interrupted at any point and repeated. It resolves to the time of the
 * end (ISO 8601), or to undefined if another one has ended the account. Throws AppError `unavailable` if they cannot be told.
 */
export function accountEnd({ store, livenessMarks, keys, clock }: AccountEnd) {
    return async (userId: string, context: CallContext): Promise<string | undefined> => {
        await eraseKeys(keys, userId, context);
        const refuse = async (ids: string[]) => {
            const failure = await livenessMarks.refuse({ account: userId, subject: 'session', ids }, context);
            if (failure) throw notTold('redis', failure);
        };
        const now = new Date(clock()).toISOString();
        return (await store.removeAccount({ user_id: userId, now }, refuse, context)) ? now : undefined;
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
    const text =
        'The account will be erased, but its API keys or sessions may work for some minutes. Repeat the call to end them now.';
    return new AppError('unavailable', text, { retry_after: 1, reason, cause });
}
