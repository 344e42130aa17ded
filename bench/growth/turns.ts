import { jobNamed } from '../jobs/index.ts';
import { requestsFor } from '../jobs/job.ts';
import type { OpenLoopResult } from '../load/open-loop.ts';
import { writeRequests } from '../load/requests.ts';
import { measureLoad, measureOpenLoad, type Spent } from '../load/run.ts';
import { outcomeOf, servingSeconds } from '../outcome.ts';
import { WARMUP_S } from '../warm-up.ts';
import { type GrownBed, requestsFile, withoutGrowth } from './grown-bed.ts';
import { GROWTH_JOBS } from './jobs.ts';
import type { Place } from './places.ts';

/** What a job has cost at one place. */
export interface Point extends Place {
    job: string;
    /** In the order of the rounds. */
    runs: Array<{ requests_per_second: number; cpu_us_per_request: number; cpu_s: Record<string, number> }>;
    /** Of all runs. */
    errors: number;
    first_error: string | undefined;
}

interface Turns {
    runs: number;
    seconds: number;
    connections: number;
}

/** In which connections are opened, before a run is counted. */
const RISE_S = 0.5;
/** With so many no job meets the limit of an account. */
const FEW_ACCOUNTS = 64;

/**
 * Measures a job at each place in turn, round after round: the machine's speed is another one a minute later, and what is to be
 * compared lies seconds apart. Each service has been warmed before the first round.
 */
export async function measureByTurns(
    beds: readonly GrownBed[],
    job: string,
    { runs, seconds, connections }: Turns,
): Promise<Point[]> {
    const points = beds.map(({ place }): Point => ({ ...place, job, runs: [], errors: 0, first_error: undefined }));
    const bounded = beds.some(({ place }) => place.accounts < FEW_ACCOUNTS);
    const rate = bounded ? GROWTH_JOBS[job]?.rate : undefined;
    const there = [...beds.entries()];
    const measureAll = async (counted_s: number, isCounted: boolean): Promise<void> => {
        for (const [index, bed] of there) {
            const rising_s = isCounted ? RISE_S : WARMUP_S * bed.place.gateways; // each has its own code to compile
            const run = await measureOnce(bed, job, { connections, rate, warmup_s: rising_s, seconds: counted_s });
            const { requests_per_second, cpu_us_per_request, cpu_s, errors, first_error } = run;
            const point = points[index] as Point; // there is one for each bed
            point.errors += errors;
            point.first_error ??= first_error;
            if (isCounted) point.runs.push({ requests_per_second, cpu_us_per_request, cpu_s });
        }
    };
    await measureAll(RISE_S, false);
    for (let round = 0; round < runs; round++) {
        await measureAll(seconds, true);
        there.reverse(); // there and back again: none is always the first
    }
    return points;
}

type Run = Point['runs'][number] & Pick<Point, 'errors' | 'first_error'>;

interface RunOptions {
    connections: number;
    /** Of an open loop; undefined: a closed one. */
    rate: number | undefined;
    warmup_s: number;
    seconds: number;
}

async function measureOnce(
    bed: GrownBed,
    name: string,
    { connections, rate, warmup_s, seconds }: RunOptions,
): Promise<Run> {
    const { stack, environment, place } = bed;
    const repeat = GROWTH_JOBS[name]?.distinct !== undefined;
    const job = jobNamed(name);
    const requests_file = requestsFile(bed, name);
    const times = { warmup_s, seconds };
    const load = { ...times, targets: stack.gateways, connections: place.gateways * connections, requests_file };
    if (rate !== undefined) {
        return offeredRun(await measureOpenLoad({ ...load, rate }, stack.groups), job.expected.status);
    }
    const closed = { ...load, expected: job.expected, repeat };
    if (repeat) return outcomeOf(name, await measureLoad(closed, stack.groups));
    writeRequests(requests_file, await requestsFor(job, warmup_s + seconds, environment));
    return withoutGrowth(bed, async () => outcomeOf(name, await measureLoad(closed, stack.groups)));
}

/** What was offered in an open loop, and whether all of it was answered as it should be. */
function offeredRun({ offered, seconds, answers, cpu_s }: OpenLoopResult & Spent, expected_status: number): Run {
    const errors = offered - (answers[expected_status]?.count ?? 0);
    return {
        requests_per_second: offered / seconds,
        cpu_us_per_request: (servingSeconds(cpu_s) / offered) * 1e6,
        cpu_s,
        errors,
        first_error: errors === 0 ? undefined : `Answers by status: ${JSON.stringify(answers)}`,
    };
}
