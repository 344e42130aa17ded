import { AppError } from '../platform/errors.ts';

/** Complete lists that an account may read at the same time. */
const LISTS_PER_ACCOUNT = 2;
/** Lists of an account that may wait while others read their first page. Further ones are refused. */
const MAX_WAITING = 64;
/** How long a list waits for a place, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** The right to read one list. */
export interface Place {
    /** Tells that the list has more than one page. It may keep its place for long, so others do not wait for it. */
    becomeLong(): void;
    /** Returns the place. Further calls do nothing. */
    leave(): void;
}

interface Account {
    /** Lists in progress. */
    taken: number;
    /** Those that have more than one page. */
    long: number;
    /** Resolvers of the waiting lists, oldest first. */
    waiting: Waiter[];
}

interface Waiter {
    take(): void;
    refuse(): void;
}

const FREE: Place = { becomeLong() {}, leave() {} };

/**
 * Bounds the complete lists that each account reads at the same time. A list takes its place before it reads its first
 * page. Most lists have one page and take milliseconds, so a further list waits briefly for its turn. It is refused
 * only if long lists have all places, or if the wait takes too long.
 */
export function listPlaces({ patience_ms = TIMEOUT_MS }: { patience_ms?: number } = {}) {
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

    function wait(id: string, account: Account): Promise<Place> {
        return new Promise((resolve, reject) => {
            const waiter: Waiter = {
                take() {
                    clearTimeout(timer);
                    resolve(placeOf(id, account));
                },
                refuse() {
                    clearTimeout(timer);
                    reject(tooManyLists());
                },
            };
            const timer = setTimeout(() => {
                account.waiting = account.waiting.filter((other) => other !== waiter);
                waiter.refuse();
            }, patience_ms);
            account.waiting.push(waiter);
        });
    }

    /**
     * A place for one list of an account; undefined for a caller whose lists are not counted. AppError `rate_limited`.
     */
    return async (id: string | undefined): Promise<Place> => {
        if (id === undefined) return FREE;
        const account = accounts.get(id) ?? { taken: 0, long: 0, waiting: [] };
        accounts.set(id, account);
        if (account.taken < LISTS_PER_ACCOUNT) return placeOf(id, account);
        if (account.long >= LISTS_PER_ACCOUNT || account.waiting.length >= MAX_WAITING) throw tooManyLists();
        return wait(id, account);
    };
}

function tooManyLists(): AppError {
    return new AppError(
        'rate_limited',
        `Limit of ${LISTS_PER_ACCOUNT} whole lists at a time exceeded. Try again in 1 seconds, or page with limit and cursor.`,
        { retry_after: 1 },
    );
}
