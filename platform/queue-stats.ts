import type { Metrics, Sample } from './telemetry/metrics.ts';

/** The totals of all queues with one name in this process, since it started. */
export interface QueueStats {
    /** Items that wait now. */
    waiting: number;
    /** Items that were accepted. */
    items: number;
    /** Batches in which items left the queue. */
    batches: number;
    /** Items that were refused because the queue was full. */
    refused: number;
}

/**
 * The totals of the process, by queue name. Streams and shards create and drop queues while the process runs, so queues
 * with the same name share their totals.
 */
const statsByName = new Map<string, QueueStats>();

export function queueStats(name: string): QueueStats {
    let stats = statsByName.get(name);
    if (!stats) {
        stats = { waiting: 0, items: 0, batches: 0, refused: 0 };
        statsByName.set(name, stats);
    }
    return stats;
}

export function exposeQueues(metrics: Metrics): void {
    const read = (value: (stats: QueueStats) => number) => (): Sample<'queue'>[] =>
        Array.from(statsByName, ([queue, stats]) => ({ labels: { queue }, value: value(stats) }));
    const labels = ['queue'] as const;
    metrics.collect(
        { type: 'gauge', name: 'queue_waiting_items', help: 'Items that wait in a queue.', labels },
        read(({ waiting }) => waiting),
    );
    metrics.collect(
        { type: 'counter', name: 'queue_items_total', help: 'Items that a queue has accepted.', labels },
        read(({ items }) => items),
    );
    metrics.collect(
        { type: 'counter', name: 'queue_batches_total', help: 'Batches in which items left a queue.', labels },
        read(({ batches }) => batches),
    );
    metrics.collect(
        { type: 'counter', name: 'queue_refused_total', help: 'Items refused because a queue was full.', labels },
        read(({ refused }) => refused),
    );
}
