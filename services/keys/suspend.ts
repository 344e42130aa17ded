import type { LivenessMarks } from '../../platform/access/liveness-marks.ts';
import type { CallContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import { isId } from '../../platform/uuid.ts';
import type { SetSuspensionRequest, SetSuspensionResponse } from '../../proto/gen/keys/v1/keys.ts';
import type { KeyStore } from './store.ts';
import { ERASED_VERSION } from './suspend.store.ts';

/** Returns the method that refuses all keys of an account from the next call on, or accepts them again. */
export function suspender({
    store,
    livenessMarks,
}: {
    store: KeyStore;
    livenessMarks: LivenessMarks;
}): (request: SetSuspensionRequest, context: CallContext) => Promise<SetSuspensionResponse> {
    return async ({ user_id: account, suspended, version }, context) => {
        if (!isId(account)) throw invalid('user_id must be the id of an account.');
        if (version >= ERASED_VERSION) throw invalid(`version must be less than ${ERASED_VERSION}.`);
        const versions = await store.setSuspension({ account, suspended, version }, context);
        const failure = await livenessMarks.changeVersions({ account, subject: 'key', versions }, context);
        return { in_force: failure === undefined };
    };
}
