import type { Outcome } from './outcome.ts';
import { figure, table } from './table.ts';

/** One row for each job: rates, latencies in ms, CPU µs per request of each group, peak memory in MiB. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
    const groups = Object.keys(outcomes[0]?.cpu_s ?? {});
    const nodes = Object.keys(outcomes[0]?.peak_mib ?? {}).filter((name) => name !== 'postgres' && name !== 'redis');
    const head = [
        'job',
        'req/s',
        'p50 ms',
        'p99 ms',
        'errors',
        ...groups.map((name) => `${name} µs`),
        'req/CPU-s',
        'peak MiB',
    ];
    const rows = outcomes.map((outcome) => [
        outcome.name,
        figure(outcome.requests_per_second),
        figure(outcome.latency.p50),
        figure(outcome.latency.p99),
        String(outcome.errors),
        ...groups.map((name) => figure(((outcome.cpu_s[name] ?? 0) / outcome.requests) * 1e6)),
        figure(outcome.requests_per_cpu_second),
        figure(nodes.reduce((sum, name) => sum + (outcome.peak_mib[name] ?? 0), 0)),
    ]);
    return table(head, rows);
}
