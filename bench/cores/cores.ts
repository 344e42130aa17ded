import '../../deploy/local/node-version.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parsedOptions } from '../bed.ts';
import { HTTP_JOB_NAMES } from '../jobs/index.ts';
import { type CoresOptions, parseCoresOptions } from '../options.ts';
import type { SuiteResults } from '../suite.ts';
import { figure, table } from '../table.ts';

/**
 * `npm run bench:cores`: runs the benchmark with 1, 2, … all cores of this machine, each time with one process per core.
 * Everything shares these cores: the service, the databases, and the process that sends requests.
 */

const BENCH = fileURLToPath(new URL('../bench.ts', import.meta.url));

/** The numbers of the cores that this process may use. */
const CORES = coresIn(/^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0');

/** `0-2,5` are the cores 0, 1, 2 and 5. */
function coresIn(list: string): number[] {
    return list.split(',').flatMap((range) => {
        const [first = 0, last = first] = range.split('-').map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

/** Requests per second of each job on this many cores. */
function ratesOn(cores: number, { only, seconds, connections }: CoresOptions): Map<string, number> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-cores-'));
    try {
        const json = join(folder, 'results.json');
        const options = { only, json, seconds, connections, processes: cores };
        const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
        const program = [process.execPath, ...process.execArgv, BENCH, ...given];
        const { status } = spawnSync('taskset', ['-c', CORES.slice(0, cores).join(','), ...program], {
            stdio: 'inherit',
        });
        if (status !== 0) throw new Error(`The benchmark on ${cores} cores failed.`);
        const { outcomes } = JSON.parse(readFileSync(json, 'utf8')) as SuiteResults; // the benchmark has written it
        return new Map(outcomes.map(({ name, requestsPerSecond }) => [name, requestsPerSecond]));
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

const options = parsedOptions((args) => parseCoresOptions(args, HTTP_JOB_NAMES));
const counts = CORES.map((_, index) => index + 1);
const rates = counts.map((cores) => ratesOn(cores, options));
const rows = options.only.map((job) => {
    const [alone = Number.NaN] = rates.map((rate) => rate.get(job));
    return [
        job,
        ...rates.flatMap((rate, index) => {
            const reached = rate.get(job) ?? Number.NaN;
            return [figure(reached), figure(reached / (alone * (index + 1)))];
        }),
    ];
});
const head = ['req/s', ...counts.flatMap((cores) => [`${cores} cores`, '÷ linear'])];
console.log(`\n${table(head, rows)}\n`);
