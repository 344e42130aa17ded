import { type CallLifetime, isOver, overError } from './context.ts';
import type { AppError } from './errors.ts';
import { overloaded } from './gather.ts';
import { type QueueStats, queueStats } from './queue-stats.ts';
import { sweepWhileNeeded } from './sweep.ts';

interface Waiting {
    lifetime: CallLifetime;
    resolve(): void;
    leave(error: AppError): void;
}

/**
 * Calls that wait for a place. Callers take turns, and the calls of one caller go on in order of arrival. So a caller
 * with many calls does not delay the others.
 */
export class BoundedQueue {
    readonly #name: string;
    readonly #maxWaiting: number;
    /** The waiting calls of each caller, oldest first. The caller whose turn is next comes first. */
    readonly #waiting = new Map<string, Set<Waiting>>();
    #size = 0;
    readonly #stats: QueueStats;
    readonly #sweep = (now: number): boolean => this.#sweepOver(now);

    /** `name` names the queue in the metrics. Queues with the same name share their totals. */
    constructor({ name, maxWaiting }: { name: string; maxWaiting: number }) {
        this.#name = name;
        this.#stats = queueStats(name);
        this.#maxWaiting = maxWaiting;
    }

    /** The number of waiting calls. */
    get size(): number {
        return this.#size;
    }

    /**
     * Resolves when release() reaches the call. Rejects with `unavailable` if too many calls wait, with `cancelled` as
     * soon as the call is cancelled, and with `deadline` soon after its deadline. If the queue is full, a call of a
     * caller with few calls displaces the newest call of the caller with the most.
     */
    wait(lifetime: CallLifetime, caller = ''): Promise<void> {
        if (this.#size >= this.#maxWaiting && !this.#displaceFor(caller)) return Promise.reject(overloaded(this.#name));
        const stats = this.#stats;
        stats.items++;
        stats.waiting++;
        return new Promise((resolve, reject) => {
            let stopListening = (): void => {};
            const calls = this.#waiting.get(caller) ?? new Set();
            this.#waiting.set(caller, calls);
            const remove = (): void => {
                stopListening();
                calls.delete(entry);
                if (calls.size === 0) this.#waiting.delete(caller);
                this.#size--;
                stats.waiting--;
            };
            const entry: Waiting = {
                lifetime,
                resolve() {
                    remove();
                    stats.batches++;
                    resolve();
                },
                leave(error) {
                    remove();
                    reject(error);
                },
            };
            calls.add(entry);
            this.#size++;
            const onCancelled = () => entry.leave(overError(lifetime));
            stopListening = lifetime.cancellation?.onCancelled(onCancelled) ?? stopListening;
            if (lifetime.deadline !== undefined) sweepWhileNeeded(this.#sweep);
        });
    }

    /**
     * Lets the oldest call of the next caller go on who may. Returns this caller, or undefined if no such call waits.
     */
    release(mayGoOn: (caller: string) => boolean = () => true): string | undefined {
        for (const [caller, calls] of this.#waiting) {
            if (!mayGoOn(caller)) continue;
            const [oldest] = calls;
            oldest?.resolve();
            if (this.#waiting.delete(caller)) this.#waiting.set(caller, calls); // moves the caller behind the others
            return caller;
        }
        return undefined;
    }

    /** Refuses the newest call of the caller with the most calls, if that caller has more than `caller` would have. */
    #displaceFor(caller: string): boolean {
        let most: Set<Waiting> | undefined;
        for (const calls of this.#waiting.values()) if (calls.size > (most?.size ?? 0)) most = calls;
        const wouldHave = (this.#waiting.get(caller)?.size ?? 0) + 1;
        if (!most || most.size <= wouldHave) return false;
        Array.from(most).at(-1)?.leave(overloaded(this.#name));
        return true;
    }

    #sweepOver(now: number): boolean {
        for (const calls of this.#waiting.values()) {
            for (const entry of calls) if (isOver(entry.lifetime, now)) entry.leave(overError(entry.lifetime));
        }
        return this.#size > 0;
    }
}

interface PlacesOptions {
    places: number;
    /**
     * How many places one caller has at most. Default: all. So a caller whose calls take long leaves places to others.
     * Calls without a caller are not limited.
     */
    perCaller?: number;
    name: string;
    maxWaiting: number;
}

/** Runs at most `places` calls at once. The others wait as in a BoundedQueue. */
export class Places {
    readonly #places: number;
    readonly #perCaller: number;
    readonly #queue: BoundedQueue;
    #taken = 0;
    /** The number of places that each caller has. */
    readonly #takenBy = new Map<string, number>();
    readonly #hasShare = (caller: string): boolean =>
        caller === '' || (this.#takenBy.get(caller) ?? 0) < this.#perCaller;

    constructor({ places, perCaller = places, name, maxWaiting }: PlacesOptions) {
        this.#places = places;
        this.#perCaller = perCaller;
        this.#queue = new BoundedQueue({ name, maxWaiting });
    }

    get isEmpty(): boolean {
        return this.#taken === 0;
    }

    /** The number of waiting calls. */
    get waiting(): number {
        return this.#queue.size;
    }

    /** Calls `run` when there is a place. Rejects as BoundedQueue.wait() does. */
    async run<Result>(run: () => Promise<Result>, lifetime: CallLifetime, caller = ''): Promise<Result> {
        const mustWait = this.#taken >= this.#places || !this.#hasShare(caller);
        if (mustWait) await this.#queue.wait(lifetime, caller);
        else this.#take(caller);
        try {
            if (mustWait && isOver(lifetime, performance.now())) throw overError(lifetime);
            return await run();
        } finally {
            this.#leave(caller);
        }
    }

    #take(caller: string): void {
        this.#taken++;
        this.#takenBy.set(caller, (this.#takenBy.get(caller) ?? 0) + 1);
    }

    /** Gives up a place of the caller, and takes it for the call that goes on next. */
    #leave(caller: string): void {
        this.#taken--;
        const left = (this.#takenBy.get(caller) ?? 0) - 1;
        if (left > 0) this.#takenBy.set(caller, left);
        else this.#takenBy.delete(caller);
        const next = this.#queue.release(this.#hasShare);
        if (next !== undefined) this.#take(next);
    }
}

/** Places for each caller alone: nobody waits for the calls of others. It holds nothing of callers without calls. */
export class CallerPlaces {
    readonly #options: PlacesOptions;
    readonly #ofCallers = new Map<string, Places>();

    constructor(options: PlacesOptions) {
        this.#options = options;
    }

    /** The number of waiting calls of a caller. */
    waiting(caller: string): number {
        return this.#ofCallers.get(caller)?.waiting ?? 0;
    }

    /** Calls `run` when the caller has a place. Rejects as BoundedQueue.wait() does. */
    async run<Result>(caller: string, run: () => Promise<Result>, lifetime: CallLifetime): Promise<Result> {
        const places = this.#ofCallers.get(caller) ?? new Places(this.#options);
        this.#ofCallers.set(caller, places);
        try {
            return await places.run(run, lifetime);
        } finally {
            if (places.isEmpty && this.#ofCallers.get(caller) === places) this.#ofCallers.delete(caller);
        }
    }

    /** Takes a place. Resolves to the function that gives it back. Rejects as BoundedQueue.wait() does. */
    take(caller: string, lifetime: CallLifetime): Promise<() => void> {
        return new Promise((resolve, reject) => {
            const hold = () => new Promise<void>((leave) => resolve(leave));
            this.run(caller, hold, lifetime).catch(reject);
        });
    }
}
