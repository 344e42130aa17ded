import { overloaded } from '../batch.ts';
import { type CallLifetime, isOver, overError } from '../context.ts';
import { sweepWhileNeeded } from '../process/sweep.ts';
import { queueStats } from '../queue-stats.ts';

/** Attempts on one subject from one address that may wait in this process. Further ones are refused. */
const MAX_WAITING = 1_000;
/** The queue's name in metrics and traces. */
export const QUEUE = 'password_attempts';

interface Waiting {
    lifetime: CallLifetime;
    begin(): void;
    leave(): void;
}

interface Queue {
    running: number;
    waiting: Set<Waiting>;
}

/**
 * Limits the concurrent runs with the same key to `limit`, in order of arrival. A waiting call leaves the queue as soon
 * as it is cancelled (`cancelled`), and soon after its deadline (`deadline`).
 */
export function turns(
    limit: number,
): <Result>(key: string, lifetime: CallLifetime, run: () => Promise<Result>) => Promise<Result> {
    const queues = new Map<string, Queue>();
    const stats = queueStats(QUEUE);

    function wait({ waiting }: Queue, lifetime: CallLifetime): Promise<void> {
        stats.items++;
        stats.waiting++;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const remove = (): void => {
            stopListening();
            waiting.delete(entry);
            stats.waiting--;
        };
        const entry: Waiting = {
            lifetime,
            begin() {
                remove();
                stats.batches++;
                resolve();
            },
            leave() {
                remove();
                reject(overError(lifetime));
            },
        };
        let stopListening = (): void => {};
        waiting.add(entry);
        stopListening = lifetime.cancellation?.onCancelled(entry.leave) ?? stopListening;
        sweepWhileNeeded(sweep);
        return promise;
    }

    function sweep(now: number): boolean {
        let stillWaiting = 0;
        for (const { waiting } of queues.values()) {
            for (const entry of waiting) if (isOver(entry.lifetime, now)) entry.leave();
            stillWaiting += waiting.size;
        }
        return stillWaiting > 0;
    }

    return async (key, lifetime, run) => {
        const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
        queues.set(key, queue);
        if (queue.running < limit) queue.running++;
        else if (queue.waiting.size < MAX_WAITING) await wait(queue, lifetime);
        else throw overloaded(QUEUE);
        try {
            return await run();
        } finally {
            const [next] = queue.waiting;
            if (next)
                next.begin(); // it takes over the place
            else if (--queue.running === 0) queues.delete(key);
        }
    };
}
