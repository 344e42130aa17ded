import '../../deploy/local/node-version.ts';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { runAndClose } from '../../bench/bed.ts';
import type { Target } from '../../bench/load/connection.ts';
import type { OpenLoopResult } from '../../bench/load/open-loop.ts';
import { writeRequests } from '../../bench/load/requests.ts';
import { measureLoad, measureOpenLoad } from '../../bench/load/run.ts';
import { figure, table } from '../../bench/table.ts';
import { WARMUP_S } from '../../bench/warm-up.ts';
import { buildWorld } from '../../bench/world.ts';
import { newId } from '../../platform/ids.ts';
import { openOwnService } from '../../test/support/own-service.ts';
import { mixedRequests } from './mix.ts';
import { read, type Sample, type Sources } from './readings.ts';
import { startVisitors, type Visits } from './start-visitors.ts';
import { type Judged, judge, type Measure } from './verdict.ts';

/**
 * `npm run proof -- soak`: checks that memory, connections, keys and latency stay flat under a steady load of all kinds
 * of requests.
 */

const SHARE_OF_CAPACITY = 0.7;
const CAPACITY_S = 10;
const CONNECTIONS = 64;
/** Most clients of the open loop that wait for an answer at once. */
const WAITING_CLIENTS = 1_000;
/** Length of a window, in seconds. The readings of a window are taken at its end. */
const WINDOW_S = 20;
/** Share of the windows, from the first, that is not judged: meanwhile caches fill and V8 compiles. */
const WARMUP_SHARE = 0.2;
/** The production cost of passwords. Test services use a lower one by default. */
const SETTINGS = { ARGON2_MEMORY_KIB: '19456', ARGON2_PASSES: '2' };
/** Largest share of answers with 503. A machine with other work has less capacity at times. */
const MOST_UNAVAILABLE = 0.01;
const LEAST_MINUTES = 3;

function parseOptions(args: string[]): { minutes: number } {
    const { values } = parseArgs({ args, options: { minutes: { type: 'string', default: '30' } } });
    const minutes = Number(values.minutes);
    if (!(minutes >= LEAST_MINUTES)) throw new Error(`--minutes must be at least ${LEAST_MINUTES}.`);
    return { minutes };
}

interface Window extends Sample {
    p50_ms: number;
    p99_ms: number;
    result: OpenLoopResult;
}

async function soak(closing: AsyncDisposableStack, { minutes }: { minutes: number }): Promise<boolean> {
    const { load, sources, env } = await prepare(closing);
    const capacity = await capacityOf(load);
    const rate = SHARE_OF_CAPACITY * capacity;
    console.log(`capacity ${figure(capacity)} requests per second; ${figure(rate)} for ${minutes} minutes`);
    const visitors = startVisitors(env);
    const windows: Window[] = [];
    const until = performance.now() + minutes * 60_000;
    while (performance.now() < until) {
        const plan = { ...load, rate, connections: WAITING_CLIENTS, warmupS: 1, seconds: WINDOW_S };
        const result = await measureOpenLoad(plan, {});
        windows.push({ ...(await read(sources)), ...latencyIn(result), result });
    }
    return report(windows, await visitors.stop());
}

interface Load {
    targets: Target[];
    requestsFile: string;
}

/** Starts the service and writes the requests of the load. */
async function prepare(
    closing: AsyncDisposableStack,
): Promise<{ load: Load; sources: Sources; env: Record<string, string> }> {
    const options = { transport: 'local', settings: SETTINGS } as const;
    const { service, adminUrl, redisUrl, folder } = await openOwnService(closing, options);
    const { E2E_URLS: urls = '', E2E_INTERNAL_SECRET: internalSecret = '', E2E_DATABASE_URL } = service.env;
    const targets = urls.split(',').map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) }));
    const [db, admin] = [
        new Client({ connectionString: E2E_DATABASE_URL }),
        new Client({ connectionString: adminUrl }),
    ];
    await Promise.all([db.connect(), admin.connect()]);
    closing.defer(() => Promise.all([db.end(), admin.end()]).then(() => {}));
    const redis = new Redis(redisUrl);
    closing.defer(() => redis.disconnect());
    const load = { targets, requestsFile: join(folder, 'requests') };
    const world = await buildWorld({ gateways: targets, internal_secret: internalSecret });
    writeRequests(load.requestsFile, await mixedRequests({ world, db, credentialId: newId }));
    const sources = { ops: service.ops.map(({ target }) => target), redis, db: admin };
    return { load, sources, env: service.env };
}

/** Requests per second that the service answers, including refusals, which are part of the mix. */
async function capacityOf(load: Load): Promise<number> {
    const plan = { ...load, connections: CONNECTIONS, warmupS: WARMUP_S, seconds: CAPACITY_S, repeat: true };
    const { requests, seconds } = await measureLoad({ ...plan, expected: { status: 200 } }, {});
    return requests / seconds;
}

/** Latency of all answers except 503: the mean of the percentiles of each status, weighted by its count. */
function latencyIn({ answers }: OpenLoopResult): { p50_ms: number; p99_ms: number } {
    const kinds = Object.entries(answers).filter(([status]) => status !== '503');
    const all = kinds.reduce((sum, [, { count }]) => sum + count, 0);
    const mean = (of: 'p50' | 'p99'): number =>
        kinds.reduce((sum, [, { count, latency }]) => sum + (latency[of] * count) / Math.max(all, 1), 0);
    return { p50_ms: mean('p50'), p99_ms: mean('p99') };
}

function report(windows: readonly Window[], visits: Visits): boolean {
    const counted = windows.slice(Math.floor(windows.length * WARMUP_SHARE));
    const measures: Measure[] = ['rss_mib', 'heap_mib', 'external_mib', 'descriptors'];
    measures.push('redis_keys', 'postgres_connections', 'p50_ms', 'p99_ms');
    const judged = measures.map((measure) =>
        judge(
            measure,
            counted.map((window) => window[measure]),
        ),
    );
    const rows = windows.map((window, index) => [
        String(index + 1),
        ...measures.map((measure) => figure(window[measure])),
        statuses(window.result),
    ]);
    console.log(`\n${table(['window', ...measures, 'answers by status'], rows)}\n`);
    console.log(table(['measure', 'first third', 'last third', ''], judged.map(rowOf)));
    const answers = windows.flatMap(({ result }) => Object.entries(result.answers));
    const countOf = (isSuch: (status: number) => boolean): number =>
        answers.reduce((sum, [status, { count }]) => sum + (isSuch(Number(status)) ? count : 0), 0);
    const all = countOf(() => true);
    const faults = countOf((status) => status >= 500 && status !== 503);
    const unavailable = countOf((status) => status === 503);
    const lost = windows.reduce((sum, { result }) => sum + result.lost, 0);
    console.log(
        `\n${all.toLocaleString('en')} answers: ${faults} with 5xx except 503, ${unavailable} with 503, ${lost} lost; ` +
            `${visits.visits} visits of ${visits.calls} calls, refused: ${JSON.stringify(visits.refused)}`,
    );
    if (visits.error !== undefined) console.log(`A visit failed: ${visits.error}`);
    const isServed = faults === 0 && lost === 0 && unavailable <= all * MOST_UNAVAILABLE && visits.error === undefined;
    return isServed && judged.every(({ isFlat }) => isFlat);
}

function rowOf({ measure, first, last, isFlat }: Judged): string[] {
    return [measure, figure(first), figure(last), isFlat ? 'flat' : 'GROWS'];
}

function statuses({ answers }: OpenLoopResult): string {
    return Object.entries(answers)
        .map(([status, { count }]) => `${status}: ${count}`)
        .join(', ');
}

await runAndClose(parseOptions, soak);
