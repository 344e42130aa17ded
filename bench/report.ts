import type { Outcome } from './outcome.ts';
import type { JobOutcome } from './suite.ts';
import { figure, table } from './table.ts';

/**
 * One row for each job: rates, latencies in ms, CPU µs per request of each group, the part of the machine in use, peak
 * memory in MiB.
 */
export function outcomeTable(outcomes: readonly Outcome[]): string {
    const groups = Object.keys(outcomes[0]?.cpuS ?? {});
    const nodes = Object.keys(outcomes[0]?.peakMib ?? {}).filter((name) => name !== 'postgres' && name !== 'redis');
    const costs = groups.map((name) => `${name} µs`);
    const head = [
        'job',
        'req/s',
        'p50 ms',
        'p99 ms',
        'errors',
        ...costs,
        'req/CPU-s',
        'req/service CPU-s',
        'items/CPU-s',
        'machine',
        'peak MiB',
    ];
    const rows = outcomes.map((outcome) => [
        outcome.name,
        figure(outcome.requestsPerSecond),
        figure(outcome.latency.p50),
        figure(outcome.latency.p99),
        String(outcome.errors),
        ...groups.map((name) => figure(((outcome.cpuS[name] ?? 0) / outcome.requests) * 1e6)),
        figure(outcome.requestsPerCpuSecond),
        figure(outcome.requests / nodes.reduce((sum, name) => sum + (outcome.cpuS[name] ?? 0), 0)),
        figure(outcome.itemsPerCpuSecond),
        figure(outcome.machineShare),
        figure(nodes.reduce((sum, name) => sum + (outcome.peakMib[name] ?? 0), 0)),
    ]);
    return table(head, rows);
}

/** One row for each job with a floor: it as a sum, and how close the service is to it. */
export function floorTable(outcomes: readonly JobOutcome[]): string {
    const rows = outcomes.flatMap(({ name, floor, cpuUsPerRequest: measured }) => {
        if (!floor) return [];
        const parts = Object.entries(floor.parts).map(([part, cost]) => `${part} ${figure(cost)}`);
        return [[name, parts.join(' + '), ...[floor.totalUs, measured, floor.totalUs / measured].map(figure)]];
    });
    return table(['job', 'its parts, CPU µs', 'floor', 'measured', 'floor ÷ measured'], rows);
}

/** One line for each job that is compared to another one: how many times the CPU of that one it costs. */
export function comparisons(outcomes: readonly JobOutcome[]): string[] {
    return outcomes.flatMap(({ name, comparedTo, cpuUsPerRequest }) => {
        const other = outcomes.find((outcome) => outcome.name === comparedTo);
        return other
            ? [`${name}: ${figure(cpuUsPerRequest / other.cpuUsPerRequest)} times the CPU of ${other.name}`]
            : [];
    });
}

/** One row for each job: the naive service compared with this service for the same requests. */
export function naiveTable(naive: readonly Outcome[], outcomes: readonly Outcome[]): string {
    const rows = naive.map((peer) => {
        const own = outcomes.find(({ name }) => name === peer.name);
        return [
            peer.name,
            figure(peer.requestsPerSecond),
            figure(peer.requestsPerCpuSecond),
            figure((own?.requestsPerSecond ?? 0) / peer.requestsPerSecond),
            figure((own?.requestsPerCpuSecond ?? 0) / peer.requestsPerCpuSecond),
        ];
    });
    return table(['naive', 'req/s', 'req/CPU-s', 'service ÷ naive, req/s', 'req/CPU-s'], rows);
}
