import type { Metrics, Reading } from './metrics.ts';

/** What has gone through the queues of one name in this process, since it started. */
export interface QueueTally {
    /** Items that wait now. */
    waiting: number;
    /** Items that have been taken in. */
    items: number;
    /** Groups in which they left. */
    batches: number;
    /** Items that were turned away because the queue was full. */
    refused: number;
}

/**
 * Of the process and not of an object: queues come and go with streams and shards, and those of one name are counted
 * together. To count in it is an addition.
 */
const tallies = new Map<string, QueueTally>();

export function queueTally(name: string): QueueTally {
    let tally = tallies.get(name);
    if (!tally) {
        tally = { waiting: 0, items: 0, batches: 0, refused: 0 };
        tallies.set(name, tally);
    }
    return tally;
}

export function exposeQueues(metrics: Metrics): void {
    const read = (value: (tally: QueueTally) => number) => (): Reading<'queue'>[] =>
        Array.from(tallies, ([queue, tally]) => ({ labels: { queue }, value: value(tally) }));
    const labels = ['queue'] as const;
    metrics.readings(
        { type: 'gauge', name: 'queue_waiting_items', help: 'Items that wait in a queue.', labels },
        read(({ waiting }) => waiting),
    );
    metrics.readings(
        { type: 'counter', name: 'queue_items_total', help: 'Items that a queue has taken in.', labels },
        read(({ items }) => items),
    );
    metrics.readings(
        { type: 'counter', name: 'queue_batches_total', help: 'Groups in which items have left a queue.', labels },
        read(({ batches }) => batches),
    );
    metrics.readings(
        { type: 'counter', name: 'queue_refused_total', help: 'Items refused because a queue was full.', labels },
        read(({ refused }) => refused),
    );
}
