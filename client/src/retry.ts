import { ApiError, ConnectionError } from './errors.ts';
import type { TimeLimit } from './time-limit.ts';

/** Upper bound of the first random wait, in milliseconds. The bound doubles with each further wait. */
const FIRST_WAIT_MS = 100;
/** Upper bound of all random waits, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;

/** Makes a call, and repeats it while that is safe and there is time. Throws the last error. */
export async function retrying<Result>(
    attempt: () => Promise<Result>,
    policy: { tries: number; idempotent: boolean; time: TimeLimit },
): Promise<Result> {
    const { tries, idempotent, time } = policy;
    for (let made = 1; ; made++) {
        try {
            return await attempt();
        } catch (error) {
            if (made >= tries || !isSafe(error, idempotent)) throw error;
            const wait = waitBefore(made, error);
            if (wait >= time.left()) throw error; // reports the error now instead of at the end of the time limit
            await time.pause(wait);
        }
    }
}

/**
 * The service sends 429 before it starts a call, so any call can be repeated. A 503 may mean that the call ran out of
 * time, or that a part of the service failed, in the middle of the call. So after any error but 429, only idempotent
 * calls and calls that were never sent are repeated.
 */
function isSafe(error: unknown, idempotent: boolean): boolean {
    if (error instanceof ConnectionError) return idempotent || error.never_sent;
    if (error instanceof ApiError) return error.status === 429 || (idempotent && error.status >= 500);
    return false;
}

/**
 * The wait in milliseconds: the wait that the service requests, plus a random time, so that clients that were refused
 * at the same moment do not return at the same moment.
 */
function waitBefore(made: number, error: unknown): number {
    const askedS = error instanceof ApiError ? (error.retry_after ?? 0) : 0;
    const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (made - 1));
    return askedS * 1_000 + Math.random() * bound;
}
