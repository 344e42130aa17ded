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

/** The cost of a job at one place. */
export interface Point extends Place {
    job: string;
    /** In the order of the rounds. */
    runs: Array<{ requestsPerSecond: number; cpuUsPerRequest: number; cpuS: Record<string, number> }>;
    /** Number of errors in all runs. */
    errors: number;
    firstError: string | undefined;
}

interface Turns {
    runs: number;
    seconds: number;
    connections: number;
}

/** Time in which connections are opened before a run is counted, in seconds. */
const RISE_S = 0.5;
/** With this many accounts, no job reaches the rate limit of an account. */
const FEW_ACCOUNTS = 64;

/**
 * Measures a job at each place in turn, round after round. The speed of the machine may change within a minute, so the
 * compared runs must be only seconds apart. Each service is warmed up before the first round.
 */
export async function measureByTurns(
    beds: readonly GrownBed[],
    job: string,
    { runs, seconds, connections }: Turns,
): Promise<Point[]> {
    const points = beds.map(({ place }): Point => ({ ...place, job, runs: [], errors: 0, firstError: undefined }));
    const bounded = beds.some(({ place }) => place.accounts < FEW_ACCOUNTS);
    const rate = bounded ? GROWTH_JOBS[job]?.rate : undefined;
    const there = [...beds.entries()];
    const measureAll = async (countedS: number, isCounted: boolean): Promise<void> => {
        for (const [index, bed] of there) {
            const risingS = isCounted ? RISE_S : WARMUP_S * bed.place.gateways; // each gateway compiles its own code
            const run = await measureOnce(bed, job, { connections, rate, warmupS: risingS, seconds: countedS });
            const { requestsPerSecond, cpuUsPerRequest, cpuS, errors, firstError } = run;
            const point = points[index] as Point; // there is one for each bed
            point.errors += errors;
            point.firstError ??= firstError;
            if (isCounted) point.runs.push({ requestsPerSecond, cpuUsPerRequest, cpuS });
        }
    };
    await measureAll(RISE_S, false);
    for (let round = 0; round < runs; round++) {
        await measureAll(seconds, true);
        there.reverse(); // so that no place is always measured first
    }
    return points;
}

type Run = Point['runs'][number] & Pick<Point, 'errors' | 'firstError'>;

interface RunOptions {
    connections: number;
    /** Requests per second in an open loop; undefined for a closed loop. */
    rate: number | undefined;
    warmupS: number;
    seconds: number;
}

async function measureOnce(
    bed: GrownBed,
    name: string,
    { connections, rate, warmupS, seconds }: RunOptions,
): Promise<Run> {
    const { stack, environment, place } = bed;
    const repeat = GROWTH_JOBS[name]?.distinct !== undefined;
    const job = jobNamed(name);
    const file = requestsFile(bed, name);
    const times = { warmupS, seconds };
    const load = { ...times, targets: stack.gateways, connections: place.gateways * connections, requestsFile: file };
    if (rate !== undefined) {
        return offeredRun(await measureOpenLoad({ ...load, rate }, stack.groups), job.expected.status);
    }
    const closed = { ...load, expected: job.expected, repeat };
    if (repeat) return outcomeOf(name, await measureLoad(closed, stack.groups));
    writeRequests(file, await requestsFor(job, warmupS + seconds, environment));
    return withoutGrowth(bed, async () => outcomeOf(name, await measureLoad(closed, stack.groups)));
}

/** Returns the offered requests of an open loop. Every request without an answer of the expected status is an error. */
function offeredRun({ offered, seconds, answers, cpuS }: OpenLoopResult & Spent, expectedStatus: number): Run {
    const errors = offered - (answers[expectedStatus]?.count ?? 0);
    return {
        requestsPerSecond: offered / seconds,
        cpuUsPerRequest: (servingSeconds(cpuS) / offered) * 1e6,
        cpuS,
        errors,
        firstError: errors === 0 ? undefined : `Answers by status: ${JSON.stringify(answers)}`,
    };
}
