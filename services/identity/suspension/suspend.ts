import type { LivenessMarks } from '../../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../../platform/context.ts';
import { isId } from '../../../platform/uuid.ts';
import type { SetSuspensionRequest, Suspension } from '../../../proto/gen/identity/v1/identity.ts';
import { MAX_SUSPENSION_REASON } from '../../../proto/limits.ts';
import { requireText } from '../../texts.ts';
import type { IdentityStore } from '../store.ts';
import { noAccount } from '../user.ts';

/** Returns the method that suspends an account from the next call of its sessions on, or restores it. */
export function suspender({
    store,
    livenessMarks,
    clock,
}: {
    store: IdentityStore;
    livenessMarks: LivenessMarks;
    clock: () => number;
}): (request: SetSuspensionRequest, context: CallContext) => Promise<Suspension> {
    return async ({ user_id, suspended, reason }, context) => {
        if (reason !== undefined) requireText('reason', reason, MAX_SUSPENSION_REASON);
        if (!isId(user_id)) throw noAccount();
        const change = { user_id, suspended, reason, now: new Date(clock()).toISOString() };
        const account = await store.setSuspension(change, context);
        if (!account) throw noAccount();
        const versions = account.sessions.map((id) => ({ id, version: account.suspension_version }));
        const failure = await livenessMarks.changeVersions({ account: user_id, subject: 'session', versions }, context);
        return {
            user_id,
            suspended_at: account.suspended_at ?? undefined,
            reason: account.suspension_reason ?? undefined,
            version: account.suspension_version,
            in_force: failure === undefined,
        };
    };
}
