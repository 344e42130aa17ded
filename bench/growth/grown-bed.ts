import { newId } from '../../platform/ids.ts';
import { type Bed, openBed } from '../bed.ts';
import { jobNamed } from '../jobs/index.ts';
import { writeRequests } from '../load/requests.ts';
import type { World } from '../world.ts';
import { insertAccounts } from './accounts.ts';
import { fillCredentials, pastId, removeSince, writeOut } from './fill.ts';
import { type Extent, GROWTH_JOBS } from './jobs.ts';
import type { Place } from './places.ts';

/** A service of its own at one place. */
export interface GrownBed extends Bed {
    place: Place;
}

/** With accounts that were written past it; its windows are a second long, so that one account may ask as often as many. */
export async function openGrownBed(closing: AsyncDisposableStack, place: Place): Promise<GrownBed> {
    const { accounts, gateways, transport } = place;
    const settings = { RATE_WINDOW_SECONDS: '1' };
    const bed = await openBed(closing, { transport, gateways, settings, accounts: 1 });
    const { db, world } = bed.environment;
    const callers = await insertAccounts(db, accounts, bed.stack.jwt_key);
    const accountOf: World['accountOf'] = (index) => callers[index % callers.length] as (typeof callers)[number]; // some
    return {
        ...bed,
        place,
        environment: { db, world: { ...world, accounts: callers, accountOf }, credentialId: pastId },
    };
}

/** Makes the requests that are sent again and again, with the rows that they need, and then as many rows as the place has. */
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
    await writeOut(stack.admin_url);
}

export function requestsFile({ requests_file }: Bed, job: string): string {
    return `${requests_file}-${job}`;
}

/** Runs what adds credentials, and removes them after it: the place is to be the same for the next run. */
export async function withoutGrowth<Result>({ environment: { db } }: Bed, run: () => Promise<Result>): Promise<Result> {
    const first_id = newId();
    const result = await run();
    await removeSince(db, first_id);
    return result;
}
