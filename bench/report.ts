import type { Outcome } from './outcome.ts';
import type { JobOutcome } from './suite.ts';
import { figure, table } from './table.ts';

/** One row for each job: rates, latencies in ms, CPU µs per request of each group, peak memory in MiB. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
    const groups = Object.keys(outcomes[0]?.cpu_s ?? {});
    const nodes = Object.keys(outcomes[0]?.peak_mib ?? {}).filter((name) => name !== 'postgres' && name !== 'redis');
    const costs = groups.map((name) => `${name} µs`);
    const head = ['job', 'req/s', 'p50 ms', 'p99 ms', 'errors', ...costs, 'req/CPU-s', 'peak MiB'];
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

/** One row for each job: its floor as a sum, and how near the service comes to it. */
export function floorTable(outcomes: readonly JobOutcome[]): string {
    const rows = outcomes.map(({ name, floor, cpu_us_per_request: measured }) => [
        name,
        Object.entries(floor.parts)
            .map(([part, cost]) => `${part} ${figure(cost)}`)
            .join(' + '),
        figure(floor.total_us),
        figure(measured),
        figure(floor.total_us / measured),
    ]);
    return table(['job', 'its parts, CPU µs', 'floor', 'measured', 'floor ÷ measured'], rows);
}

/** How far the naive service gets with the same requests. */
export function naiveTable(naive: readonly Outcome[], outcomes: readonly Outcome[]): string {
    const rows = naive.map((peer) => {
        const own = outcomes.find(({ name }) => name === peer.name);
        return [
            peer.name,
            figure(peer.requests_per_second),
            figure(peer.requests_per_cpu_second),
            figure((own?.requests_per_second ?? 0) / peer.requests_per_second),
            figure((own?.requests_per_cpu_second ?? 0) / peer.requests_per_cpu_second),
        ];
    });
    return table(['naive', 'req/s', 'req/CPU-s', 'service ÷ naive, req/s', 'req/CPU-s'], rows);
}
