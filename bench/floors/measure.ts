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

/** How long HTTP is measured, in seconds. This is short because the cost of HTTP varies less than that of a service. */
const ECHO_S = 1;

interface FloorsPlan {
    databaseUrl: string;
    redisUrl: string;
    /** The log file of the measured log lines. Nothing reads it. */
    logFile: string;
    /** The processes of PostgreSQL and Redis. */
    groups: Groups;
    /** How long each part is measured. */
    seconds: number;
}

/** Measures parts in processes of their own. */
export interface Floors extends Disposable {
    /** Measures the given parts now, because the speed of a machine may change within a minute. */
    measure(parts: readonly Part[]): Promise<Partial<PartCosts>>;
}

export async function openFloors({ logFile, seconds, ...databases }: FloorsPlan): Promise<Floors> {
    // One process for each hardware thread. Under load every core is busy, and a hardware thread that shares its core
    // with another one has little more than half of the speed.
    const computing = await Promise.all(
        Array.from({ length: availableParallelism() }, (_, core) =>
            startFloor({ kind: 'computing', logFile: `${logFile}-${core}`, seconds }),
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

/**
 * Returns the CPU µs per request of an Express server that reads the requests of the run and answers each of them with
 * the sample.
 */
export async function measureHttp(
    { job, requestsFile, connections }: JobRun,
    { body, sample }: { body: unknown; sample: string },
): Promise<number> {
    const { expected } = job;
    const child = startChild(new URL('echo.ts', import.meta.url), NODE_FLAGS);
    try {
        const plan: EchoPlan = { body, status: expected.status, ...readSample(sample) };
        const targets = [{ host: '127.0.0.1', port: await ask<number>(child, plan) }];
        const load = { targets, requestsFile, connections, expected, repeat: true };
        const measured = await measureLoad({ ...load, warmupS: WARMUP_S, seconds: ECHO_S }, { echo: [child.pid] });
        if (measured.errors > 0) throw new Error(`The echo server failed:\n${measured.firstError}`);
        return outcomeOf('http', measured).cpuUsPerRequest;
    } finally {
        child.kill();
    }
}

/** Header fields that Node sets on each answer, or that follow from the length of the body. */
const OWN_FIELDS = new Set(['date', 'connection', 'keep-alive', 'content-length']);

function readSample(sample: string): Pick<EchoPlan, 'headers' | 'answer'> {
    const bodyAt = sample.indexOf('\r\n\r\n');
    const fields = sample
        .slice(0, bodyAt)
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]); // name and value
    const headers = Object.fromEntries(fields.filter(([name]) => !OWN_FIELDS.has(name.toLowerCase())));
    return { headers, answer: JSON.parse(sample.slice(bodyAt)) };
}
