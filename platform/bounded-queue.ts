import { type CallLifetime, isOver, overError } from './context.ts';
import { overloaded } from './gather.ts';
import { sweepWhileNeeded } from './process/sweep.ts';
import { type QueueStats, queueStats } from './queue-stats.ts';

interface Waiting {
    lifetime: CallLifetime;
    resolve(): void;
    leave(): void;
}

/** Calls that wait for a place, oldest first. */
export class BoundedQueue {
    readonly #name: string;
    readonly #maxWaiting: number;
    readonly #waiting = new Set<Waiting>();
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
        return this.#waiting.size;
    }

    /**
     * Resolves when release() reaches the call. Rejects with `unavailable` if too many calls wait, with `cancelled` as
     * soon as the call is cancelled, and with `deadline` soon after its deadline.
     */
    wait(lifetime: CallLifetime): Promise<void> {
        if (this.#waiting.size >= this.#maxWaiting) return Promise.reject(overloaded(this.#name));
        const stats = this.#stats;
        stats.items++;
        stats.waiting++;
        return new Promise((resolve, reject) => {
            let stopListening = (): void => {};
            const remove = (): void => {
                stopListening();
                this.#waiting.delete(entry);
                stats.waiting--;
            };
            const entry: Waiting = {
                lifetime,
                resolve() {
                    remove();
                    stats.batches++;
                    resolve();
                },
                leave() {
                    remove();
                    reject(overError(lifetime));
                },
            };
            this.#waiting.add(entry);
            stopListening = lifetime.cancellation?.onCancelled(entry.leave) ?? stopListening;
            if (lifetime.deadline !== undefined) sweepWhileNeeded(this.#sweep);
        });
    }

    /** Lets the oldest call go on. Returns false if no call waits. */
    release(): boolean {
        const [oldest] = this.#waiting;
        oldest?.resolve();
        return oldest !== undefined;
    }

    #sweepOver(now: number): boolean {
        for (const entry of this.#waiting) if (isOver(entry.lifetime, now)) entry.leave();
        return this.#waiting.size > 0;
    }
}

/** Runs at most `places` calls at once, in order of arrival. */
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
    async run<Result>(run: () => Promise<Result>, lifetime: CallLifetime): Promise<Result> {
        const mustWait = this.#taken >= this.#places;
        if (mustWait) await this.#queue.wait(lifetime);
        else this.#taken++;
        try {
            if (mustWait && isOver(lifetime, performance.now())) throw overError(lifetime);
            return await run();
        } finally {
            if (!this.#queue.release()) this.#taken--; // otherwise the released call takes over this place
        }
    }
}
