import { CallerPlaces } from '../../platform/bounded-queue.ts';
import { AppError, asAppError } from '../../platform/errors.ts';

/** Maximum number of exports that a gateway writes for an account, and for trusted callers, at the same time. Beyond it: 429. */
const EXPORTS_PER_ACCOUNT = 1;
/** When a refused caller may try again, in seconds. */
const RETRY_SECONDS = 10;

/** Limits how many exports of each account are under way. None waits, because an export may take minutes. */
export function exportPlaces() {
    const places = new CallerPlaces({ places: EXPORTS_PER_ACCOUNT, name: 'exports', maxWaiting: 0 });

    /** Returns the function that gives the place back. Throws AppError `rate_limited` if the account has no place. */
    return (account = ''): Promise<() => void> =>
        new Promise((resolve, reject) => {
            const hold = () => new Promise<void>((leave) => resolve(leave));
            places.run(account, hold, {}).catch((error: unknown) => {
                reject(asAppError(error).kind === 'unavailable' ? underWay() : error);
            });
        });
}

function underWay(): AppError {
    return new AppError('rate_limited', 'Another export is under way. Try again when it has ended.', {
        retry_after: RETRY_SECONDS,
    });
}
