import '../../deploy/local/node-version.ts';
import { pickPort } from '../../deploy/local/ports.ts';
import { openBed, runAndClose } from '../bed.ts';
import { HTTP_JOB_NAMES, jobNamed } from '../jobs/index.ts';
import { loadOf, requestsFor } from '../jobs/job.ts';
import { writeRequests } from '../load/requests.ts';
import { type Measured, measureLoad } from '../load/run.ts';
import { type ProfileOptions, parseProfileOptions } from '../options.ts';
import { figure, table } from '../table.ts';
import { WARMUP_S } from '../warm-up.ts';
import { areaOf, type Frame, functionOf, selfTimes } from './areas.ts';
import { type CpuProfile, openProfiler } from './inspector.ts';

/** `npm run bench:profile -- --job verify`: shows where the CPU time of a request goes, as V8's profiler samples it. */

const HOTTEST = 40;

interface Profiles {
    main: CpuProfile;
    workers: CpuProfile[];
}

async function profile(closing: AsyncDisposableStack, options: ProfileOptions): Promise<boolean> {
    const { seconds, connections } = options;
    const job = jobNamed(options.job);
    const port = await pickPort();
    const bed = await openBed(closing, { transport: 'local', nodeFlags: inspected(port) });
    const { stack, environment, requestsFile } = bed;
    writeRequests(requestsFile, await requestsFor(job, WARMUP_S + seconds, environment));
    const profiler = await openProfiler(port + 1); // the launcher has this port, and its process the next one
    closing.defer(async () => profiler.close());
    const plan = { targets: stack.gateways, connections, ...loadOf(job), seconds };
    let profiles: Promise<Profiles> | undefined;
    const measured = await measureLoad({ ...plan, warmupS: WARMUP_S, requestsFile }, stack.groups, {
        began: () => void profiler.start(),
        ended: () => {
            profiles = profiler.stop();
        },
    });
    if (measured.errors > 0) throw new Error(`There were errors; the first:\n${measured.firstError}`);
    if (profiles) report(job.name, measured, await profiles);
    return true;
}

/** The flags that open the inspector. Node then publishes its address over HTTP only and does not print it. */
function inspected(port: number): string[] {
    return [`--inspect=127.0.0.1:${port}`, '--inspect-publish-uid=http'];
}

function report(job: string, measured: Measured, { main, workers }: Profiles): void {
    const requests = measured.requests;
    const columns = (keyOf: (frame: Frame) => string) => {
        const onMain = selfTimes(main, keyOf);
        const onWorkers = workers.map((profile) => selfTimes(profile, keyOf));
        const keys = new Set([onMain, ...onWorkers].flatMap((times) => [...times.keys()]));
        return Array.from(keys, (key) => {
            const mainUs = (onMain.get(key) ?? 0) / requests;
            const workersUs = onWorkers.reduce((sum, times) => sum + (times.get(key) ?? 0), 0) / requests;
            return { key, mainUs, workersUs, bothUs: mainUs + workersUs };
        }).sort((one, other) => other.bothUs - one.bothUs);
    };
    const areas = columns(areaOf);
    const sampledUs = areas.reduce((sum, { bothUs }) => sum + bothUs, 0);
    const processUs = ((measured.cpuS['service'] ?? 0) / requests) * 1e6;
    const rows = areas.map(({ key, mainUs, workersUs, bothUs }) => [key, mainUs, workersUs, bothUs] as const);
    const all = [
        ...rows,
        ['all that was sampled', '', '', sampledUs] as const,
        ['other threads (V8, libuv, logging), and what sampling misses', '', '', processUs - sampledUs] as const,
        ['the process, by /proc, while it is profiled', '', '', processUs] as const,
    ];
    const cells = all.map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)));
    console.log(`\n${job}: µs per request, ${Math.round(requests / measured.seconds)} requests per second\n`);
    console.log(table(['area (self time)', 'event loop', 'threads', 'both'], cells));
    const hottest = columns(functionOf).slice(0, HOTTEST);
    const hotRows = hottest.map(({ key, mainUs, workersUs }) => [key, figure(mainUs), figure(workersUs)]);
    console.log(`\n${table(['function (self time)', 'event loop', 'threads'], hotRows)}\n`);
}

await runAndClose((args) => parseProfileOptions(args, HTTP_JOB_NAMES), profile);
