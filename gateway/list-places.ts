import { CallerPlaces } from '../platform/bounded-queue.ts';
import type { CallLifetime } from '../platform/context.ts';
import { AppError, asAppError } from '../platform/errors.ts';

/**
 * Maximum number of complete lists that an account may read at the same time. Trusted callers have no such bound.
 * Beyond it: the list waits for a place.
 */
const LISTS_PER_ACCOUNT = 2;
/** Maximum number of lists of an account that wait for a place. Beyond it: 429. */
const MAX_WAITING = 64;
/** How long a list waits for a place, in milliseconds. Beyond it: 429. */
const TIMEOUT_MS = 1_000;

/**
 * Limits how many complete lists each account reads at the same time. A list takes a place before it reads its first
 * page. Most lists have one page and take milliseconds, so a further list waits briefly for a place.
 */
export function listPlaces({ timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}) {
    const places = new CallerPlaces({ places: LISTS_PER_ACCOUNT, name: 'lists', maxWaiting: MAX_WAITING });

    /**
     * Takes a place for one list of the account. Returns the function that gives the place back. For `undefined` (a
     * caller whose lists are not counted) there is always a place. Throws AppError `rate_limited` if there is none.
     */
    return async (account: string | undefined, cancellation?: CallLifetime['cancellation']): Promise<() => void> => {
        if (account === undefined) return () => {};
        try {
            return await places.take(account, { deadline: performance.now() + timeoutMs, cancellation });
        } catch (error) {
            throw asAppError(error).kind === 'cancelled' ? error : tooManyLists();
        }
    };
}

function tooManyLists(): AppError {
    return new AppError(
        'rate_limited',
        `Limit of ${LISTS_PER_ACCOUNT} whole lists at a time exceeded. Try again in 1 second, or page with limit and cursor.`,
        { retry_after: 1 },
    );
}
