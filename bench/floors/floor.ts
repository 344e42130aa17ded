/** What a request cannot do without, each measured by itself: CPU µs per operation, of everybody who takes part. */
export type Part =
    /** The limiter's script, in groups of 64 calls, as many as connections: client and Redis. */
    | 'limit'
    /** A v4.public token of a credential over bare sodium. */
    | 'sign'
    | 'verify'
    /** A new key pair and its did:key. */
    | 'key_pair'
    /** One row, with its count for the account, in a group of 32, two groups in flight: client and PostgreSQL. */
    | 'credential_row'
    | 'did_row'
    | 'presentation_row'
    /** One row by its key, in groups of 32, two in flight. */
    | 'find'
    /** The 25 rows of an issuer by an index, in groups of 32, two in flight. */
    | 'page'
    /** A password hash of the default cost. */
    | 'argon2id'
    | 'log_line'
    | 'metrics';

/** How often each part occurs in one request. */
export type Parts = Partial<Record<Part, number>>;

export type PartCosts = Record<Part, number>;

/** Every answer is logged and metered. */
const ALWAYS: Parts = { log_line: 1, metrics: 1 };

export interface Floor {
    /** µs of each part, `http` among them: reading the request and writing the answer with Express. */
    parts: Record<string, number>;
    total_us: number;
}

/** What a request consists of beside HTTP. */
export function partsOf(parts: Parts): Part[] {
    return Object.keys({ ...parts, ...ALWAYS }) as Part[]; // the keys are Parts
}

/** The floor of a job is the sum of its parts. */
export function floorOf(parts: Parts, costs: Partial<PartCosts>, http_us: number): Floor {
    const counts: Parts = { ...parts, ...ALWAYS };
    const priced = partsOf(parts).map((part) => [part, (counts[part] ?? 0) * (costs[part] ?? Number.NaN)] as const);
    return {
        parts: { http: http_us, ...Object.fromEntries(priced) },
        total_us: priced.reduce((sum, [, cost]) => sum + cost, http_us),
    };
}
