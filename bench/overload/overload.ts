import '../../deploy/local/node-version.ts';
import { statSync } from 'node:fs';
import { openBed, runAndClose } from '../bed.ts';
import { jobNamed, SINGLE_JOB_NAMES } from '../jobs/index.ts';
import { requestsFor } from '../jobs/job.ts';
import type { OpenLoopResult } from '../load/open-loop.ts';
import { writeRequests } from '../load/requests.ts';
import { measureLoad, measureOpenLoad, type Spent } from '../load/run.ts';
import { type OverloadOptions, parseOverloadOptions } from '../options.ts';
import { figure, table } from '../table.ts';
import { WARMUP_S } from '../warm-up.ts';
import { besideBatches } from './batches.ts';
import { refusalsIn } from './refusals.ts';

/**
 * `npm run bench:overload`: measures what happens to requests when clients send twice as many as the service can
 * answer, and what happens to single calls when one account sends many batches.
 */

/** Warm-up of the open loop, in seconds. It is short because the closed loop has warmed up the service before. */
const RISE_S = 2;
const CONNECTIONS = 64;
/** Maximum number of clients that wait at a time in the open loop. */
const WAITING_CLIENTS = 1_000;
/** Number of accounts. At 10,000 calls per minute each, they can make twice as many calls as the service can answer. */
const ACCOUNTS = 256;
/** Seconds for which different requests are made. They are sent again and again. */
const DISTINCT_S = 6;

async function overload(closing: AsyncDisposableStack, options: OverloadOptions): Promise<boolean> {
    const { transport, processes, seconds } = options;
    const job = jobNamed(options.job);
    const bed = await openBed(closing, { transport, processes, accounts: ACCOUNTS });
    const { stack, environment, requestsFile } = bed;
    const { gateways: targets, groups, logFile } = stack;
    writeRequests(requestsFile, await requestsFor(job, DISTINCT_S, environment));
    const load = { targets, requestsFile };
    const { expected } = job;
    const closed = {
        ...load,
        warmupS: WARMUP_S,
        connections: CONNECTIONS,
        expected,
        repeat: true,
        seconds: Math.min(seconds, 10),
    };
    const full = await measureLoad(closed, groups);
    if (full.errors > 0) throw new Error(`There were errors; the first:\n${full.firstError}`);
    const capacity = full.requests / full.seconds;
    console.log(`\n${job.name}: ${figure(capacity)} requests per second over ${CONNECTIONS} connections\n`);
    const phases: Phase[] = [];
    for (const share of [0.5, 2]) {
        const logFrom = statSync(logFile).size;
        const rate = share * capacity;
        const result = await measureOpenLoad(
            { ...load, warmupS: RISE_S, rate, connections: WAITING_CLIENTS, seconds },
            groups,
        );
        phases.push({ share, ...result, refusedWithinMs: await refusalsIn(logFile, logFrom) });
    }
    console.log(`${phaseTable(phases, expected.status)}\n\n${verdict(phases, expected.status, capacity)}\n`);
    const areAllAnswered = await besideBatches(bed, job);
    return (
        areAllAnswered &&
        phases.every(({ answers, lost }) => lost === 0 && otherAnswers(answers, expected.status) === 0)
    );
}

type Phase = OpenLoopResult & Spent & { share: number; refusedWithinMs: number };

function phaseTable(phases: readonly Phase[], expectedStatus: number): string {
    const rows = phases.map(({ share, offered, seconds, answers, lost, refusedWithinMs, peakMib }) => {
        const admitted = answers[expectedStatus];
        const refused = answers[503];
        return [
            `${share} × capacity`,
            figure(offered / seconds),
            figure((admitted?.inTime ?? 0) / seconds),
            figure(admitted?.latency.p50 ?? 0),
            figure(admitted?.latency.p99 ?? 0),
            figure(admitted?.sinceSent.p99 ?? 0),
            figure((refused?.inTime ?? 0) / seconds),
            figure(refused?.latency.p99 ?? 0),
            figure(refusedWithinMs),
            String(otherAnswers(answers, expectedStatus)),
            String(lost),
            figure(peakMib['service'] ?? (peakMib['gateway'] ?? 0) + (peakMib['services'] ?? 0)),
        ];
    });
    const head = [
        'offer',
        'offered/s',
        'admitted/s',
        'p50 ms',
        'p99 ms',
        'since sent, ms',
        '503/s',
        'p99 of a 503, ms',
        'by the log, ms',
    ];
    return table([...head, 'other answers', 'unanswered', 'peak MiB'], rows);
}

function otherAnswers(answers: Phase['answers'], expectedStatus: number): number {
    const others = Object.entries(answers).filter(([status]) => ![String(expectedStatus), '503'].includes(status));
    return others.reduce((sum, [, { count }]) => sum + count, 0);
}

function verdict([half, twice]: readonly Phase[], expectedStatus: number, capacity: number): string {
    const admitted = (phase: Phase | undefined) => phase?.answers[expectedStatus];
    const goodput = (admitted(twice)?.inTime ?? 0) / (twice?.seconds ?? 1) / capacity;
    const slower = (since: 'latency' | 'sinceSent'): string =>
        figure((admitted(twice)?.[since].p99 ?? 0) / (admitted(half)?.[since].p99 ?? 1));
    const p99 = `p99 of admitted requests is ${slower('latency')} × that at half of it`;
    return `At twice the capacity: goodput is ${figure(goodput)} of it; ${p99}, ${slower('sinceSent')} × since sent.`;
}

await runAndClose((args) => parseOverloadOptions(args, SINGLE_JOB_NAMES), overload);
