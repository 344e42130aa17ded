import { median } from '../../bench/percentiles.ts';

/** How much a value may grow from the first third of the counted time to the last third. */
interface Allowance {
    /** As a share of the value in the first third. */
    share: number;
    /** Added to the share, in the value's own unit, because a small value may grow by this much without a leak. */
    slack: number;
}

/**
 * Memory varies with the garbage collector, latency with other work on the machine. The other values should not vary.
 */
export const ALLOWED = {
    rss_mib: { share: 0.1, slack: 32 },
    heap_mib: { share: 0.15, slack: 16 },
    external_mib: { share: 0.1, slack: 8 },
    descriptors: { share: 0.05, slack: 8 },
    redis_keys: { share: 0.05, slack: 100 },
    postgres_connections: { share: 0, slack: 1 },
    p50_ms: { share: 0.25, slack: 2 },
    p99_ms: { share: 0.5, slack: 15 },
} satisfies Record<string, Allowance>;

export type Measure = keyof typeof ALLOWED;

export interface Judged {
    measure: Measure;
    first: number;
    last: number;
    isFlat: boolean;
}

/** Compares the medians of the first and the last third of a series. */
export function judge(measure: Measure, series: readonly number[]): Judged {
    const third = Math.max(1, Math.floor(series.length / 3));
    const first = median(series.slice(0, third));
    const last = median(series.slice(-third));
    const { share, slack } = ALLOWED[measure];
    return { measure, first, last, isFlat: last <= first * (1 + share) + slack };
}
