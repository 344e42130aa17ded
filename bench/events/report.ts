import type { Latency } from '../percentiles.ts';
import { figure, table } from '../table.ts';

export interface EventsRow {
    name: string;
    /** Number of events or deliveries. */
    count: number;
    seconds: number;
    /** From the commit of an event to its receipt. */
    latency?: Latency;
    /** CPU seconds of each group of processes. */
    cpuS: Record<string, number>;
}

export function eventsTable(rows: readonly EventsRow[]): string {
    const groups = [...new Set(rows.flatMap(({ cpuS }) => Object.keys(cpuS)))];
    const cells = rows.map(({ name, count, seconds, latency, cpuS }) => [
        name,
        count.toLocaleString('en'),
        figure(count / seconds),
        ...[latency?.p50, latency?.p99, latency?.max].map((ms) => (ms === undefined ? '' : figure(ms))),
        ...groups.map((group) => (cpuS[group] === undefined ? '' : figure((cpuS[group] / count) * 1e6))),
    ]);
    const head = ['row', 'events', 'events/s', 'p50 ms', 'p99 ms', 'max ms', ...groups.map((group) => `${group} µs`)];
    return table(head, cells);
}
