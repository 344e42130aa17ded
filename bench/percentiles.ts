/** Latencies of a run, in milliseconds. */
export interface Latency {
    p50: number;
    p99: number;
    max: number;
}

/**
 * Percentiles by nearest rank: the smallest value that at least `share` of all values do not exceed. Zeros if there are
 * no values.
 */
export function latencyOf(values: readonly number[]): Latency {
    const sorted = Float64Array.from(values).sort();
    const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

export function median(values: readonly number[]): number {
    const sorted = values.toSorted((one, other) => one - other);
    const middle = sorted.length >> 1;
    const upper = sorted[middle] ?? 0;
    return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
