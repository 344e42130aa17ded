import type { Client } from 'pg';
import type { Parts } from '../floors/floor.ts';
import type { ClosedLoopPlan } from '../load/closed-loop.ts';
import type { Dialogue } from '../load/dialogue.ts';
import type { HttpRequest } from '../load/requests.ts';
import type { Expected } from '../load/tally.ts';
import type { World } from '../world.ts';

/** What a job needs to make its requests. */
export interface BenchEnvironment {
    world: World;
    /** The database of the service. */
    db: Client;
    /** Returns a UUID for a credential that exists before the run. */
    credentialId(): string;
}

/**
 * A token was verified and is valid. The status alone does not show this: the answer for an invalid token has status
 * 200 too.
 */
export const VALID: Expected = { status: 200, text: '"data":{"valid":true' };

/** A kind of request that is measured. */
export interface Workload {
    name: string;
    expected: Expected;
    /** The parts of its floor, without HTTP and without the parts of every request. Absent: no floor is measured. */
    parts?: Parts;
    /** The name of the job that the report compares it to. */
    comparedTo?: string;
    /** What follows each request. The dialogue counts as one request. Default: nothing. */
    dialogue?: Dialogue;
    /** Number of items in each request of a batch. Default: 1. */
    items?: number;
    /** Number of requests that are made for each second. It is more than the service can answer. */
    perSecond: number;
    /**
     * Whether the requests may be sent again after the last one. This is so if none of them needs a token, a body or a
     * DID of its own.
     */
    repeat?: boolean;
    /** Maximum number of requests that are made, if they may be sent again. */
    atMost?: number;
    requests(count: number, environment: BenchEnvironment): Promise<HttpRequest[]>;
}

/** What the load process must know of a job. */
export function loadOf({
    expected,
    repeat = false,
    dialogue,
}: Workload): Pick<ClosedLoopPlan, 'expected' | 'repeat' | 'dialogue'> {
    return { expected, repeat, ...(dialogue && { dialogue }) };
}

export async function requestsFor(
    job: Workload,
    seconds: number,
    environment: BenchEnvironment,
): Promise<HttpRequest[]> {
    const count = Math.min(Math.ceil(job.perSecond * seconds), job.atMost ?? Number.POSITIVE_INFINITY);
    return job.requests(count, environment);
}

/** Calls `make` with the indexes below `count` and returns the results. */
export function times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => make(index));
}
