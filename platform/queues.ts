import type { Metrics, Reading } from './metrics.ts';

/** The totals of all queues with one name in this process, since it started. */
export interface QueueTally {
    /** Items that wait now. */
    waiting: number;
    /** Items that were accepted. */
    items: number;
    /** Groups in which they left. */
    batches: number;
    /** Items that were refused because the queue was full. */
    refused: number;
}

/**
 * Shared by the process, because queues come and go with streams and shards, and queues with the same name are counted
 * together. Counting in it is an addition.
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
        { type: 'counter', name: 'queue_items_total', help: 'Items that a queue has accepted.', labels },
        read(({ items }) => items),
    );
    metrics.readings(
        { type: 'counter', name: 'queue_batches_total', help: 'Batches in which items left a queue.', labels },
        read(({ batches }) => batches),
    );
    metrics.readings(
        { type: 'counter', name: 'queue_refused_total', help: 'Items refused because a queue was full.', labels },
        read(({ refused }) => refused),
    );
}
