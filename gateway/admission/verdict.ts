import { type Decision, limitExceeded } from '../../platform/access/limit-decision.ts';
import type { AppError } from '../../platform/errors.ts';
import type { Principal } from './authenticator.ts';

/** Whether a request may go on. */
export interface Verdict {
    /** Becomes the rate limit headers of the answer. */
    decision: Decision;
    principal?: Principal;
    /** Why the request is refused; absent if it is admitted. */
    failure?: AppError;
}

export function verdictOf(decision: Decision): Verdict {
    return decision.state === 'limited' ? { decision, failure: limitExceeded(decision) } : { decision };
}
