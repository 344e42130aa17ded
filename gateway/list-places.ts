import { AppError } from '../platform/errors.ts';

/**
 * Maximum number of complete lists that an account may read at the same time. Trusted callers have no such bound.
 * Beyond it: the list waits for a place, or is refused at once with 429 if two long lists hold both places.
 */
const LISTS_PER_ACCOUNT = 2;
/** Maximum number of lists of an account that wait for a place. Beyond it: 429. */
const MAX_WAITING = 64;
/** How long a list waits for a place, in milliseconds. Beyond it: 429. */
const TIMEOUT_MS = 1_000;

/** The right to read one list. */
export interface Place {
    /** Records that the list has more than one page. It may keep its place for a long time, so others do not wait. */
    becomeLong(): void;
    /** Gives the place back. Further calls do nothing. */
    leave(): void;
}

interface Account {
    /** Lists in progress. */
    taken: number;
    /** Lists in progress that have more than one page. */
    long: number;
    /** The waiting lists, oldest first. */
    waiting: Waiter[];
}

interface Waiter {
    take(): void;
    refuse(): void;
}

const FREE: Place = { becomeLong() {}, leave() {} };

/**
 * Limits how many complete lists each account reads at the same time. A list takes a place before it reads its first
 * page. Most lists have one page and take milliseconds, so a further list waits briefly for a place. It is refused only
 * if long lists have taken all places, if too many lists wait, or if the wait takes too long.
 */
export function listPlaces({ timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}) {
    const accounts = new Map<string, Account>();

    function leave(id: string, account: Account): void {
        account.taken--;
        const next = account.waiting.shift();
        if (next) next.take();
        else if (account.taken === 0) accounts.delete(id);
    }

    function placeOf(id: string, account: Account): Place {
        account.taken++;
        let isLong = false;
        let isLeft = false;
        return {
            becomeLong() {
                isLong = true;
                account.long++;
                if (account.long < LISTS_PER_ACCOUNT) return;
                for (const waiter of account.waiting.splice(0)) waiter.refuse();
            },
            leave() {
                if (isLeft) return;
                isLeft = true;
                if (isLong) account.long--;
                leave(id, account);
            },
        };
    }

    /**
     * Takes a place for one list of account `id`. For `undefined` (a caller whose lists are not counted) there is
     * always a place. Throws AppError `rate_limited` if there is none.
     */
    return async (id: string | undefined): Promise<Place> => {
        if (id === undefined) return FREE;
        const account = accounts.get(id) ?? { taken: 0, long: 0, waiting: [] };
        accounts.set(id, account);
        if (account.taken < LISTS_PER_ACCOUNT) return placeOf(id, account);
        if (account.long >= LISTS_PER_ACCOUNT || account.waiting.length >= MAX_WAITING) throw tooManyLists();
        return turn(account, timeoutMs, () => placeOf(id, account));
    };
}

/** Waits until another list of the account gives up its place, and takes it at that very moment. */
function turn(account: Account, timeoutMs: number, takePlace: () => Place): Promise<Place> {
    return new Promise((resolve, reject) => {
        const waiter: Waiter = {
            take() {
                clearTimeout(timer);
                resolve(takePlace());
            },
            refuse() {
                clearTimeout(timer);
                reject(tooManyLists());
            },
        };
        const timer = setTimeout(() => {
            account.waiting = account.waiting.filter((other) => other !== waiter);
            waiter.refuse();
        }, timeoutMs);
        account.waiting.push(waiter);
    });
}

function tooManyLists(): AppError {
    return new AppError(
        'rate_limited',
        `Limit of ${LISTS_PER_ACCOUNT} whole lists at a time exceeded. Try again in 1 seconds, or page with limit and cursor.`,
        { retry_after: 1 },
    );
}
