import { ApiError, ConnectionError } from './errors.ts';
import type { TimeLimit } from './time-limit.ts';

/** Upper bound of the first random wait, in milliseconds. The bound doubles with each further wait. */
const FIRST_WAIT_MS = 100;
/** Upper bound of all random waits, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;

/** Default of the maximum number of times that a call is sent. */
const TRIES = 4;

interface Policy {
    /** Maximum number of attempts. Undefined: TRIES of those that may have reached the service. */
    tries: number | undefined;
    idempotent: boolean;
    time: TimeLimit;
}

/** Makes a call, and repeats it while that is safe and there is time. Throws the last error. */
export async function retrying<Result>(
    attempt: () => Promise<Result>,
    { tries, idempotent, time }: Policy,
): Promise<Result> {
    for (let made = 1, sent = 0; ; made++) {
        try {
            return await attempt();
        } catch (error) {
            // A service that restarts is away for some seconds. Nothing is lost by knocking until the time is up.
            if (!(error instanceof ConnectionError && error.never_sent)) sent++;
            const isLast = tries === undefined ? sent >= TRIES : made >= tries;
            if (isLast || !isSafe(error, idempotent)) throw error;
            const wait = waitBefore(made, error, time.left());
            if (wait === undefined) throw error; // reports the error now instead of at the end of the time limit
            await time.pause(wait);
        }
    }
}

/**
 * The service sends 429 before it starts a call, so any call can be repeated. A 503 may mean that the call ran out of
 * time, or that a part of the service failed, in the middle of the call. A proxy may send 408 at any time. So after any
 * error but 429, only idempotent calls and calls that were never sent are repeated.
 */
function isSafe(error: unknown, idempotent: boolean): boolean {
    if (error instanceof ConnectionError) return idempotent || error.never_sent;
    if (error instanceof ApiError) {
        return error.status === 429 || (idempotent && (error.status === 408 || error.status >= 500));
    }
    return false;
}

/**
 * The wait in milliseconds: the wait that the service requests, plus a random time, so that clients that were refused
 * at the same moment do not return at the same moment. Undefined if there is too little time left.
 */
function waitBefore(made: number, error: unknown, leftMs: number): number | undefined {
    const askedMs = error instanceof ApiError ? (error.retry_after ?? 0) * 1_000 : 0;
    const spareMs = leftMs - askedMs;
    if (spareMs < FIRST_WAIT_MS) return undefined;
    return askedMs + Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (made - 1), spareMs / 2);
}
