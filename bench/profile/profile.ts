import '../../deploy/local/node-version.ts';
import { pickPort } from '../../deploy/local/ports.ts';
import { openBed, runAndClose } from '../bed.ts';
import { HTTP_JOB_NAMES, jobNamed } from '../jobs/index.ts';
import { requestsFor } from '../jobs/job.ts';
import { writeRequests } from '../load/requests.ts';
import { type Measured, measureLoad } from '../load/run.ts';
import { type ProfileOptions, parseProfileOptions } from '../options.ts';
import { figure, table } from '../table.ts';
import { WARMUP_S } from '../warm-up.ts';
import { areaOf, type Frame, functionOf, selfTimes } from './areas.ts';
import { type CpuProfile, openProfiler } from './inspector.ts';

/** `npm run bench:profile -- --job verify`: where each microsecond of a request goes, as V8's profiler samples it. */

const HOTTEST = 40;

interface Profiles {
    main: CpuProfile;
    workers: CpuProfile[];
}

async function profile(closing: AsyncDisposableStack, options: ProfileOptions): Promise<boolean> {
    const { seconds, connections } = options;
    const job = jobNamed(options.job);
    const port = await pickPort();
    const bed = await openBed(closing, { transport: 'local', node_flags: inspected(port) });
    const { stack, environment, requests_file } = bed;
    writeRequests(requests_file, await requestsFor(job, WARMUP_S + seconds, environment));
    const profiler = await openProfiler(port);
    closing.defer(async () => profiler.close());
    const { expected, repeat = false } = job;
    const plan = { targets: stack.gateways, connections, expected, repeat, seconds };
    let profiles: Promise<Profiles> | undefined;
    const measured = await measureLoad({ ...plan, warmup_s: WARMUP_S, requests_file }, stack.groups, {
        began: () => void profiler.start(),
        ended: () => {
            profiles = profiler.stop();
        },
    });
    if (measured.errors > 0) throw new Error(`There were errors; the first:\n${measured.first_error}`);
    if (profiles) report(job.name, measured, await profiles);
    return true;
}

/** Where it listens is told over HTTP alone: on the screen it would say nothing. */
function inspected(port: number): string[] {
    return [`--inspect=127.0.0.1:${port}`, '--inspect-publish-uid=http'];
}

function report(job: string, measured: Measured, { main, workers }: Profiles): void {
    const requests = measured.requests;
    const columns = (keyOf: (frame: Frame) => string) => {
        const on_main = selfTimes(main, keyOf);
        const on_workers = workers.map((profile) => selfTimes(profile, keyOf));
        const keys = new Set([on_main, ...on_workers].flatMap((times) => [...times.keys()]));
        return Array.from(keys, (key) => {
            const main_us = (on_main.get(key) ?? 0) / requests;
            const workers_us = on_workers.reduce((sum, times) => sum + (times.get(key) ?? 0), 0) / requests;
            return { key, main_us, workers_us, both_us: main_us + workers_us };
        }).sort((one, other) => other.both_us - one.both_us);
    };
    const areas = columns(areaOf);
    const sampled_us = areas.reduce((sum, { both_us }) => sum + both_us, 0);
    const process_us = ((measured.cpu_s['service'] ?? 0) / requests) * 1e6;
    const rows = areas.map(({ key, main_us, workers_us, both_us }) => [key, main_us, workers_us, both_us] as const);
    const all = [
        ...rows,
        ['all that was sampled', '', '', sampled_us] as const,
        ['other threads (V8, libuv, logging), and what sampling misses', '', '', process_us - sampled_us] as const,
        ['the process, by /proc, while it is profiled', '', '', process_us] as const,
    ];
    const cells = all.map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)));
    console.log(`\n${job}: µs per request, ${Math.round(requests / measured.seconds)} requests per second\n`);
    console.log(table(['area (self time)', 'event loop', 'threads', 'both'], cells));
    const hottest = columns(functionOf).slice(0, HOTTEST);
    const hot_rows = hottest.map(({ key, main_us, workers_us }) => [key, figure(main_us), figure(workers_us)]);
    console.log(`\n${table(['function (self time)', 'event loop', 'threads'], hot_rows)}\n`);
}

await runAndClose((args) => parseProfileOptions(args, HTTP_JOB_NAMES), profile);
