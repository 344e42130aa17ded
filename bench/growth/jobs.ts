/** The smallest number of stored credentials and the largest number of accounts among the compared places. */
export interface Extent {
    rows: number;
    accounts: number;
}

interface GrowthJob {
    /**
     * Number of different requests, which are sent again and again. If undefined, each request is sent once, and each
     * run gets new ones.
     */
    distinct?(extent: Extent): number;
    /** Requests per second in an open loop, if one of the places has few accounts. It stays below their rate limit. */
    rate?: number;
}

/**
 * All compared places get the same number of different requests, because the service finds public keys in its caches
 * less often if there are more. The rows that the requests read are spread over all stored rows. Issuing comes last,
 * because it adds rows.
 */
export const GROWTH_JOBS: Record<string, GrowthJob> = {
    'verify-revocation': { distinct: ({ rows, accounts }) => Math.min(rows / 2, Math.max(2_000, accounts)) },
    list: { distinct: ({ rows, accounts }) => Math.min(rows / 2 / 25, Math.max(400, accounts)) },
    // The calls of a session count for its account. With a window of one second, a single account may make 10,000 calls
    // in each second.
    me: { distinct: ({ accounts }) => Math.max(64, accounts), rate: 2_500 },
    issue: {},
};
