import { ApiError, ConnectionError } from './errors.ts';
import type { TimeLimit } from './time-limit.ts';

/** The first wait is up to this long, each further one up to twice as long as the one before, in milliseconds. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/** Makes a call, and makes it again where that is safe and there is time for it. */
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
            if (wait >= time.left()) throw error; // told now, not when the time is up
            await time.pause(wait);
        }
    }
}

/**
 * 429 is given before a call is begun, whatever it is. 503 is not: it may mean that the time was up, or a part of the service
 * was lost, in the middle of it. So after all but 429 only what may be done twice is sent again, or what was never sent.
 */
function isSafe(error: unknown, idempotent: boolean): boolean {
    if (error instanceof ConnectionError) return idempotent || error.never_sent;
    if (error instanceof ApiError) return error.status === 429 || (idempotent && error.status >= 500);
    return false;
}

/** What the service asks for, and a random time, so that those who were refused together do not come back together. */
function waitBefore(made: number, error: unknown): number {
    const asked_s = error instanceof ApiError ? (error.retry_after ?? 0) : 0;
    const bound = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (made - 1));
    return asked_s * 1_000 + Math.random() * bound;
}
