/**
 * A part of a request that no implementation can avoid. Each part is measured alone, in CPU µs per operation of all
 * processes that take part in it.
 */
export type Part =
    /** One call in the limiter's script, in batches of 64 calls, the number of connections. Counts client and Redis. */
    | 'limit'
    /** Signing or verifying the v4.public token of a credential, directly with sodium. */
    | 'sign'
    | 'verify'
    /** A new key pair and its did:key. */
    | 'key_pair'
    /** Writing one row and its pending count, in batches of 32, two in flight. Counts client and PostgreSQL. */
    | 'credential_row'
    | 'did_row'
    | 'presentation_row'
    /** Reading one row by its key, in batches of 32, two in flight. */
    | 'find'
    /** Reading the 25 rows of an issuer through an index, in batches of 32, two in flight. */
    | 'page'
    /** A password hash at the default cost. */
    | 'argon2id'
    | 'log_line'
    | 'metrics';

/** How often each part occurs in one request. */
export type Parts = Partial<Record<Part, number>>;

export type PartCosts = Record<Part, number>;

/** Every answer has a log line and is counted in the metrics. */
const ALWAYS: Parts = { log_line: 1, metrics: 1 };

export interface Floor {
    /** CPU µs of each part, and of `http`: reading the request and writing the answer with Express. */
    parts: Record<string, number>;
    totalUs: number;
}

/** The parts of a request, without HTTP. */
export function partsOf(parts: Parts): Part[] {
    return Object.keys({ ...parts, ...ALWAYS }) as Part[]; // the keys are Parts
}

/** Returns the floor of a job, which is the sum of its parts. */
export function floorOf(parts: Parts, costs: Partial<PartCosts>, httpUs: number): Floor {
    const counts: Parts = { ...parts, ...ALWAYS };
    const priced = partsOf(parts).map((part) => [part, (counts[part] ?? 0) * (costs[part] ?? Number.NaN)] as const);
    return {
        parts: { http: httpUs, ...Object.fromEntries(priced) },
        totalUs: priced.reduce((sum, [, cost]) => sum + cost, httpUs),
    };
}
