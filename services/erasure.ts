import { type CallContext, requireTrusted } from '../platform/context.ts';
import { invalid } from '../platform/errors.ts';
import { isId } from '../platform/uuid.ts';
import { isDid } from '../tokens/did-key.ts';
import { ERASED_SUBJECT } from './counts/erased-subject.ts';

/**
 * A step in which a service erases an account, or the subject of credentials by its DID. It runs one statement or one short
 * transaction, and resolves to true if nothing is left for it to do. It may be interrupted and repeated at any point, and
 * run twice at once.
 */
export type ErasureStep = (id: string, context: CallContext) => Promise<boolean>;

/**
 * Returns the method EraseAccount of a service. A call takes the steps in their order, until one of them has to be
 * repeated. It begins again with the first step, which then has nothing to do.
 */
export function erasure(steps: readonly ErasureStep[]) {
    return async ({ user_id }: { user_id: string }, context: CallContext): Promise<{ done: boolean }> => {
        requireTrusted(context);
        if (!isId(user_id)) throw invalid('user_id must be the id of an account.');
        return { done: await takeSteps(steps, user_id, context) };
    };
}

/** Returns the method EraseSubject of a service, in the same way. */
export function subjectErasure(steps: readonly ErasureStep[]) {
    return async ({ subject_did }: { subject_did: string }, context: CallContext): Promise<{ done: boolean }> => {
        requireTrusted(context);
        if (!isDid(subject_did) || subject_did === ERASED_SUBJECT) throw invalid('subject_did must be a DID.');
        return { done: await takeSteps(steps, subject_did, context) };
    };
}

async function takeSteps(steps: readonly ErasureStep[], id: string, context: CallContext): Promise<boolean> {
    for (const step of steps) if (!(await step(id, context))) return false;
    return true;
}
