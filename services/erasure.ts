import { type CallContext, requireTrusted } from '../platform/context.ts';
import { invalid } from '../platform/errors.ts';
import { isId } from '../platform/uuid.ts';

/**
 * One of the steps in which a service erases an account. Each runs one statement, or one transaction of few. Resolves to
 * true if nothing is left for it to do. It may be interrupted and repeated at any point, and run twice at once.
 */
export type ErasureStep = (account: string, context: CallContext) => Promise<boolean>;

/**
 * Returns the method EraseAccount of a service. A call takes the steps in their order, until one of them has to be
 * repeated. It begins again with the first step, which then has nothing to do.
 */
export function erasure(steps: readonly ErasureStep[]) {
    return async ({ user_id }: { user_id: string }, context: CallContext): Promise<{ done: boolean }> => {
        requireTrusted(context);
        if (!isId(user_id)) throw invalid('user_id must be the id of an account.');
        for (const step of steps) if (!(await step(user_id, context))) return { done: false };
        return { done: true };
    };
}
