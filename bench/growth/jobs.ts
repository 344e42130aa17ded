/** The least of stored credentials and the most of accounts among the places that are compared. */
export interface Extent {
    rows: number;
    accounts: number;
}

export interface GrowthJob {
    /** How many requests are made, which then are sent again and again; undefined: each is sent once, and new ones are made for each run. */
    distinct?(extent: Extent): number;
    /** Per second, in an open loop, where one of the places has few accounts: what keeps below their limit. */
    rate?: number;
}

/**
 * Every place of a comparison is asked for as many different things: more would find the service's caches of public keys less often.
 * The rows that they ask for are spread over all that are stored. Issuing comes last: it adds rows.
 */
export const GROWTH_JOBS: Record<string, GrowthJob> = {
    'verify-revocation': { distinct: ({ rows, accounts }) => Math.min(rows / 2, Math.max(2_000, accounts)) },
    list: { distinct: ({ rows, accounts }) => Math.min(rows / 2 / 25, Math.max(400, accounts)) },
    // A session's calls count for its account: with a window of a second, a single one may make 10,000 of them in each.
    me: { distinct: ({ accounts }) => Math.max(64, accounts), rate: 2_500 },
    issue: {},
};
