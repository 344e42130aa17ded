import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { ask, startChild } from '../children.ts';
import { measureLoad } from '../load/run.ts';
import { outcomeOf } from '../outcome.ts';
import type { Groups } from '../proc.ts';
import type { JobRun } from '../run-job.ts';
import { NODE_FLAGS } from '../stack.ts';
import { WARMUP_S } from '../warm-up.ts';
import type { EchoPlan } from './echo.ts';
import type { Part, PartCosts } from './floor.ts';
import { type FloorPlan, PARTS_OF } from './process.ts';

/** The cost of HTTP varies less than that of a service: less time is enough. */
const ECHO_S = 1;

interface FloorsPlan {
    database_url: string;
    redis_url: string;
    /** For log lines that nobody reads. */
    log_file: string;
    /** PostgreSQL and Redis. */
    groups: Groups;
    /** For which each part is measured. */
    seconds: number;
}

/** What measures parts, in processes of their own. */
export interface Floors extends Disposable {
    /** Each part now: the speed of a machine may be another one a minute later. */
    measure(parts: readonly Part[]): Promise<Partial<PartCosts>>;
}

export async function openFloors({ log_file, seconds, ...databases }: FloorsPlan): Promise<Floors> {
    // Under load every core is busy, and one whose units another hardware thread uses too has little more than half its speed.
    const computing = await Promise.all(
        Array.from({ length: availableParallelism() }, (_, core) =>
            startFloor({ kind: 'computing', log_file: `${log_file}-${core}`, seconds }),
        ),
    );
    const asking = await startFloor({ kind: 'asking', seconds, ...databases });
    const measureOn = (child: ChildProcess, kind: FloorPlan['kind'], parts: readonly Part[]) =>
        ask<Partial<PartCosts>>(
            child,
            parts.filter((part) => PARTS_OF[kind].includes(part)),
        );
    return {
        async measure(parts) {
            const [computed] = await Promise.all(computing.map((child) => measureOn(child, 'computing', parts)));
            return { ...computed, ...(await measureOn(asking, 'asking', parts)) };
        },
        [Symbol.dispose]() {
            for (const child of [...computing, asking]) child.kill();
        },
    };
}

async function startFloor(plan: FloorPlan): Promise<ChildProcess> {
    const child = startChild(new URL('process.ts', import.meta.url));
    await ask(child, plan);
    return child;
}

/** µs of an Express server that reads the requests of the run's file and gives each of them the sample for an answer. */
export async function measureHttp(
    { job, requests_file, connections }: JobRun,
    { body, sample }: { body: unknown; sample: string },
): Promise<number> {
    const { expected } = job;
    const child = startChild(new URL('echo.ts', import.meta.url), NODE_FLAGS);
    try {
        const plan: EchoPlan = { body, status: expected.status, ...readSample(sample) };
        const targets = [{ host: '127.0.0.1', port: await ask<number>(child, plan) }];
        const load = { targets, requests_file, connections, expected, repeat: true };
        const measured = await measureLoad({ ...load, warmup_s: WARMUP_S, seconds: ECHO_S }, { echo: [child.pid] });
        if (measured.errors > 0) throw new Error(`The echo failed:\n${measured.first_error}`);
        return outcomeOf('http', measured).cpu_us_per_request;
    } finally {
        child.kill();
    }
}

/** Set by Node itself on each answer, or by the length of the body. */
const OWN_FIELDS = new Set(['date', 'connection', 'keep-alive', 'content-length']);

function readSample(sample: string): Pick<EchoPlan, 'headers' | 'answer'> {
    const body_at = sample.indexOf('\r\n\r\n');
    const fields = sample
        .slice(0, body_at)
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]); // name and value
    const headers = Object.fromEntries(fields.filter(([name]) => !OWN_FIELDS.has(name.toLowerCase())));
    return { headers, answer: JSON.parse(sample.slice(body_at)) };
}
