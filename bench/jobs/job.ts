import type { Client } from 'pg';
import type { Parts } from '../floors/floor.ts';
import type { HttpRequest } from '../load/requests.ts';
import type { Expected } from '../load/tally.ts';
import type { World } from '../world.ts';

/** Where a job's requests come from. */
export interface BenchEnvironment {
    world: World;
    /** The service's own database. */
    db: Client;
    /** The UUID of a credential that is there before the run. */
    credentialId(): string;
}

/** What is good: a bad token, too, is checked and answered with 200. */
export const VALID: Expected = { status: 200, text: '"data":{"valid":true' };

/** One kind of request that is measured. */
export interface Workload {
    name: string;
    expected: Expected;
    /** What its floor consists of, beside HTTP and what every request has. */
    parts: Parts;
    /** Requests made ready for each second: more than are ever answered. */
    per_second: number;
    /** Whether requests may be sent again when all have been: where what is asked for is no token, body or DID of its own. */
    repeat?: boolean;
    /** At most so many are made, where they are sent again. */
    at_most?: number;
    requests(count: number, environment: BenchEnvironment): Promise<HttpRequest[]>;
}

export async function requestsFor(
    job: Workload,
    seconds: number,
    environment: BenchEnvironment,
): Promise<HttpRequest[]> {
    const count = Math.min(Math.ceil(job.per_second * seconds), job.at_most ?? Number.POSITIVE_INFINITY);
    return job.requests(count, environment);
}

/** `count` results of `make`, by index. */
export function times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
}
