import { ApiError, ConnectionError } from './errors.ts';
import type { TimeLimit } from './time-limit.ts';

/**
 * The first wait is at most this long, and each further one at most twice as long as the previous one, in milliseconds.
 */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/** Makes a call, and repeats it if that is safe and there is time. */
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
            if (wait >= time.left()) throw error; // reported now, not when the time is over
            await time.pause(wait);
        }
    }
}

/**
 * 429 is sent before a call is started, so any call can be repeated. A 503 may mean that the time was over, or that a
 * part of the service was lost, in the middle of the call. So after anything but 429, only idempotent calls and calls
 * that were never sent are repeated.
 */
function isSafe(error: unknown, idempotent: boolean): boolean {
    if (error instanceof ConnectionError) return idempotent || error.never_sent;
    if (error instanceof ApiError) return error.status === 429 || (idempotent && error.status >= 500);
    return false;
}

/**
 * The wait that the service requests, plus a random time, so that clients that were refused together do not return
 * together.
 */
function waitBefore(made: number, error: unknown): number {
    const asked_s = error instanceof ApiError ? (error.retry_after ?? 0) : 0;
    const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (made - 1));
    return asked_s * 1_000 + Math.random() * bound;
}
