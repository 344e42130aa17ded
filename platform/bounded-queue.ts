import { type CallLifetime, isOver, overError } from './context.ts';
import type { AppError } from './errors.ts';
import { overloaded } from './gather.ts';
import { sweepWhileNeeded } from './process/sweep.ts';
import { type QueueStats, queueStats } from './queue-stats.ts';

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

    /** Lets the oldest call of the next caller go on. Returns false if no call waits. */
    release(): boolean {
        const [next] = this.#waiting;
        if (!next) return false;
        const [caller, calls] = next;
        const [oldest] = calls;
        oldest?.resolve();
        if (this.#waiting.delete(caller)) this.#waiting.set(caller, calls); // moves the caller behind the others
        return true;
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

/** Runs at most `places` calls at once. The others wait as in a BoundedQueue. */
export class Places {
    readonly #places: number;
    readonly #queue: BoundedQueue;
    #taken = 0;

    constructor({ places, name, maxWaiting }: { places: number; name: string; maxWaiting: number }) {
        this.#places = places;
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
    async run<Result>(run: () => Promise<Result>, lifetime: CallLifetime, caller?: string): Promise<Result> {
        const mustWait = this.#taken >= this.#places;
        if (mustWait) await this.#queue.wait(lifetime, caller);
        else this.#taken++;
        try {
            if (mustWait && isOver(lifetime, performance.now())) throw overError(lifetime);
            return await run();
        } finally {
            if (!this.#queue.release()) this.#taken--; // otherwise the released call takes over this place
        }
    }
}
