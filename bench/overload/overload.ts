import '../../deploy/local/node-version.ts';
import { statSync } from 'node:fs';
import { openBed, runAndClose } from '../bed.ts';
import { HTTP_JOB_NAMES, jobNamed } from '../jobs/index.ts';
import { requestsFor } from '../jobs/job.ts';
import type { OpenLoopResult } from '../load/open-loop.ts';
import { writeRequests } from '../load/requests.ts';
import { measureLoad, measureOpenLoad, type Spent } from '../load/run.ts';
import { type OverloadOptions, parseOverloadOptions } from '../options.ts';
import { figure, table } from '../table.ts';
import { WARMUP_S } from '../warm-up.ts';
import { refusalsIn } from './refusals.ts';

/** `npm run bench:overload`: what becomes of requests when twice as many come as can be answered. */

/** Of the open loop, before which the service has been warmed. */
const RISE_S = 2;
const CONNECTIONS = 64;
/** Of the open loop: as many clients wait at once at most. */
const WAITING_CLIENTS = 1_000;
/** Twice the capacity of a minute, at 10,000 calls each. */
const ACCOUNTS = 256;
/** Of requests that are made, and sent again and again. */
const DISTINCT_S = 6;

async function overload(closing: AsyncDisposableStack, options: OverloadOptions): Promise<boolean> {
    const { transport, seconds } = options;
    const job = jobNamed(options.job);
    const bed = await openBed(closing, { transport, accounts: ACCOUNTS });
    const { stack, environment, requests_file } = bed;
    const { gateways: targets, groups, log_file } = stack;
    writeRequests(requests_file, await requestsFor(job, DISTINCT_S, environment));
    const load = { targets, requests_file };
    const { expected } = job;
    const closed = {
        ...load,
        warmup_s: WARMUP_S,
        connections: CONNECTIONS,
        expected,
        repeat: true,
        seconds: Math.min(seconds, 10),
    };
    const full = await measureLoad(closed, groups);
    if (full.errors > 0) throw new Error(`There were errors; the first:\n${full.first_error}`);
    const capacity = full.requests / full.seconds;
    console.log(`\n${job.name}: ${figure(capacity)} requests per second over ${CONNECTIONS} connections\n`);
    const phases: Phase[] = [];
    for (const share of [0.5, 2]) {
        const log_from = statSync(log_file).size;
        const rate = share * capacity;
        const result = await measureOpenLoad(
            { ...load, warmup_s: RISE_S, rate, connections: WAITING_CLIENTS, seconds },
            groups,
        );
        phases.push({ share, ...result, refused_within_ms: await refusalsIn(log_file, log_from) });
    }
    console.log(`${phaseTable(phases, expected.status)}\n\n${verdict(phases, expected.status, capacity)}\n`);
    return phases.every(({ answers, lost }) => lost === 0 && otherAnswers(answers, expected.status) === 0);
}

type Phase = OpenLoopResult & Spent & { share: number; refused_within_ms: number };

function phaseTable(phases: readonly Phase[], expected_status: number): string {
    const rows = phases.map(({ share, offered, seconds, answers, lost, refused_within_ms, peak_mib }) => {
        const admitted = answers[expected_status];
        const refused = answers[503];
        return [
            `${share} × capacity`,
            figure(offered / seconds),
            figure((admitted?.in_time ?? 0) / seconds),
            figure(admitted?.latency.p50 ?? 0),
            figure(admitted?.latency.p99 ?? 0),
            figure((refused?.in_time ?? 0) / seconds),
            figure(refused?.latency.p99 ?? 0),
            figure(refused_within_ms),
            String(otherAnswers(answers, expected_status)),
            String(lost),
            figure(peak_mib['service'] ?? (peak_mib['gateway'] ?? 0) + (peak_mib['services'] ?? 0)),
        ];
    });
    const head = [
        'offer',
        'offered/s',
        'admitted/s',
        'p50 ms',
        'p99 ms',
        '503/s',
        'p99 of a 503, ms',
        'by the log, ms',
    ];
    return table([...head, 'other answers', 'unanswered', 'peak MiB'], rows);
}

function otherAnswers(answers: Phase['answers'], expected_status: number): number {
    const others = Object.entries(answers).filter(([status]) => ![String(expected_status), '503'].includes(status));
    return others.reduce((sum, [, { count }]) => sum + count, 0);
}

function verdict([half, twice]: readonly Phase[], expected_status: number, capacity: number): string {
    const admitted = (phase: Phase | undefined) => phase?.answers[expected_status];
    const goodput = (admitted(twice)?.in_time ?? 0) / (twice?.seconds ?? 1) / capacity;
    const slower = (admitted(twice)?.latency.p99 ?? 0) / (admitted(half)?.latency.p99 ?? 1);
    return `At twice the capacity: goodput ${figure(goodput)} of it; p99 of what is admitted ${figure(slower)} × that of half of it.`;
}

await runAndClose((args) => parseOverloadOptions(args, HTTP_JOB_NAMES), overload);
