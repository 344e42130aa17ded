import { type CountedIn, type Counts, countsOfAll } from '../counts/counts.store.ts';
import { COUNTING } from '../counts/pending.store.ts';
import type { UsageStore } from './store.ts';

export interface UsageDependencies {
    store: UsageStore;
    counts: UsageCounts;
    /** Milliseconds since 1970. */
    clock: () => number;
}

/** What the services have counted, by the answers that need it. */
export interface UsageCounts {
    /** What an account has created: the counts in `GET /v1/me`. */
    created: Counts;
    /** All rows that are counted. */
    rows: Counts;
    /** The requests, with other kinds than REQUEST_KINDS among them. */
    requests: Counts;
}

/** What the usage service counts itself. Its table also has old counts of rows, from before other services counted. */
export const REQUEST_KINDS = ['requests', 'rate_limit_hits', 'presentations_verified'];

export function usageCounts(countedIn: CountedIn): UsageCounts {
    const counting = COUNTING.filter((service) => service !== 'usage');
    return {
        created: countsOfAll(['did', 'credentials', 'presentations', 'keys'], countedIn),
        rows: countsOfAll(counting, countedIn),
        requests: countsOfAll(['usage'], countedIn),
    };
}
