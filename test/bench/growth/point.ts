import type { Bed } from '../bed.ts';
import { jobNamed } from '../jobs/index.ts';
import { writeRequests } from '../load/requests.ts';
import { measureLoad } from '../load/run.ts';
import { outcomeOf } from '../outcome.ts';
import { median } from '../percentiles.ts';

/** Where a point lies. */
export interface Place {
    rows: number;
    accounts: number;
    gateways: number;
}

export interface Point extends Place {
    job: string;
    /** Medians of the runs. */
    requests_per_second: number;
    cpu_us_per_request: number;
    /** Least and most CPU of a run. */
    range_us: [number, number];
    errors: number;
}

export interface PointLoad {
    runs: number;
    seconds: number;
    /** To each gateway: fewer would make thinner batches. */
    connections: number;
}

const WARMUP_S = 1;

/** Requests that are made for a run, by job; all but those of an issue are sent again and again. Issuing comes last: it adds rows. */
export const GROWTH_JOBS: Record<string, (place: Place, seconds: number) => number> = {
    'verify-revocation': ({ rows }) => Math.min(rows / 2, 10_000),
    list: ({ rows }) => Math.min(rows / 2 / 25, 400),
    me: ({ accounts }) => Math.max(accounts, 64),
    issue: (_place, seconds) => 5_000 * seconds,
};

/** Makes ready what the job asks for; the rows of all jobs are there before the first of them is measured. */
export function preparePoint({ ground }: Bed, place: Place, load: PointLoad) {
    const total_s = (load.runs + 1) * (WARMUP_S + load.seconds);
    return Promise.all(
        Object.entries(GROWTH_JOBS).map(async ([name, count]) => {
            const job = jobNamed(name);
            return { job, requests: await job.requests(Math.ceil(count(place, total_s)), ground) };
        }),
    );
}

type Prepared = Awaited<ReturnType<typeof preparePoint>>[number];

/** The median of several runs of one job at one place, after one that is not counted. */
export async function measurePoint(
    { stack, requests_file }: Bed,
    { job, requests }: Prepared,
    place: Place,
    { runs, seconds, connections }: PointLoad,
): Promise<Point> {
    const { expected_status, name } = job;
    const repeat = name !== 'issue';
    const per_run = repeat ? requests.length : Math.floor(requests.length / (runs + 1));
    const outcomes = [];
    for (let run = 0; run <= runs; run++) {
        writeRequests(requests_file, repeat ? requests : requests.slice(run * per_run, (run + 1) * per_run));
        const plan = {
            targets: stack.gateways,
            connections: place.gateways * connections,
            requests_file,
            expected_status,
            repeat,
            seconds,
        };
        outcomes.push(outcomeOf(name, await measureLoad({ ...plan, warmup_s: WARMUP_S }, stack.groups)));
    }
    outcomes.shift(); // programs and caches are cold in it
    const costs = outcomes.map(({ cpu_us_per_request }) => cpu_us_per_request);
    return {
        ...place,
        job: name,
        requests_per_second: median(outcomes.map(({ requests_per_second }) => requests_per_second)),
        cpu_us_per_request: median(costs),
        range_us: [Math.min(...costs), Math.max(...costs)],
        errors: outcomes.reduce((sum, { errors }) => sum + errors, 0),
    };
}
