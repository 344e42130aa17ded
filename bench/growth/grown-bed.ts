import { newId } from '../../platform/ids.ts';
import { type Bed, openBed } from '../bed.ts';
import { jobNamed } from '../jobs/index.ts';
import { writeRequests } from '../load/requests.ts';
import type { World } from '../world.ts';
import { insertAccounts } from './accounts.ts';
import { fillCredentials, pastId, removeSince, writeOut } from './fill.ts';
import { type Extent, GROWTH_JOBS } from './jobs.ts';
import type { Place } from './places.ts';

/** A separate service for one place. */
export interface GrownBed extends Bed {
    place: Place;
}

/**
 * Starts a service and writes its accounts directly to the database. Its rate-limit windows are one second long, so
 * that a single account can send the whole load.
 */
export async function openGrownBed(closing: AsyncDisposableStack, place: Place): Promise<GrownBed> {
    const { accounts, gateways, transport } = place;
    const settings = { RATE_WINDOW_SECONDS: '1' };
    const bed = await openBed(closing, { transport, gateways, settings, accounts: 1 });
    const { db, world } = bed.environment;
    const callers = await insertAccounts(db, accounts, bed.stack.jwtKey);
    // The list is not empty.
    const accountOf: World['accountOf'] = (index) => callers[index % callers.length] as (typeof callers)[number];
    return {
        ...bed,
        place,
        environment: { db, world: { ...world, accounts: callers, accountOf }, credentialId: pastId },
    };
}

/**
 * Prepares the requests that are sent repeatedly, with the rows that they need. Then adds credentials until the place
 * has its number of rows.
 */
export async function fillBed(bed: GrownBed, jobs: readonly string[], extent: Extent): Promise<void> {
    const { stack, environment, place } = bed;
    for (const name of jobs) {
        const count = GROWTH_JOBS[name]?.distinct?.(extent);
        if (count === undefined) continue;
        const requests = await jobNamed(name).requests(Math.ceil(count), environment);
        writeRequests(requestsFile(bed, name), requests);
    }
    await fillCredentials(environment.db, place.rows, [
        ...new Set(environment.world.accounts.map(({ user_id }) => user_id)),
    ]);
    await writeOut(stack.adminUrl);
}

export function requestsFile({ requestsFile }: Bed, job: string): string {
    return `${requestsFile}-${job}`;
}

/**
 * Runs a measurement that adds credentials, and removes them afterwards, so that the place is the same for the next
 * run.
 */
export async function withoutGrowth<Result>({ environment: { db } }: Bed, run: () => Promise<Result>): Promise<Result> {
    const firstId = newId();
    const result = await run();
    await removeSince(db, firstId);
    return result;
}
