import { overloaded } from './batch.ts';
import { isOver, overError, type Patience } from './context.ts';
import { queueTally } from './queues.ts';
import { sweepWhileNeeded } from './sweep.ts';

/** Attempts on one subject from one address that may wait in this process. Further ones are refused. */
const MAX_WAITING = 1_000;
/** The queue's name in metrics and traces. */
export const QUEUE = 'password_attempts';

interface Waiting {
    patience: Patience;
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
): <Result>(key: string, patience: Patience, run: () => Promise<Result>) => Promise<Result> {
    const queues = new Map<string, Queue>();
    const tally = queueTally(QUEUE);

    function wait({ waiting }: Queue, patience: Patience): Promise<void> {
        tally.items++;
        tally.waiting++;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const remove = (): void => {
            stopListening();
            waiting.delete(entry);
            tally.waiting--;
        };
        const entry: Waiting = {
            patience,
            begin() {
                remove();
                tally.batches++;
                resolve();
            },
            leave() {
                remove();
                reject(overError(patience));
            },
        };
        let stopListening = (): void => {};
        waiting.add(entry);
        stopListening = patience.cancellation?.onCancelled(entry.leave) ?? stopListening;
        sweepWhileNeeded(sweep);
        return promise;
    }

    function sweep(now: number): boolean {
        let stillWaiting = 0;
        for (const { waiting } of queues.values()) {
            for (const entry of waiting) if (isOver(entry.patience, now)) entry.leave();
            stillWaiting += waiting.size;
        }
        return stillWaiting > 0;
    }

    return async (key, patience, run) => {
        const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
        queues.set(key, queue);
        if (queue.running < limit) queue.running++;
        else if (queue.waiting.size < MAX_WAITING) await wait(queue, patience);
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
