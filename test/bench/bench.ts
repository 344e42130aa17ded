import '../../deploy/local/node-version.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { floorOf } from './floors/floor.ts';
import { measureHttp, measureParts } from './floors/measure.ts';
import { JOBS } from './jobs/index.ts';
import { NAIVE_JOBS, runNaive } from './naive/run.ts';
import { type BenchOptions, parseOptions } from './options.ts';
import { floorTable, type JobOutcome, naiveTable, outcomeTable, partTable } from './report.ts';
import { runJob } from './run-job.ts';
import { startStack } from './stack.ts';
import { buildWorld } from './world.ts';

/** `npm run bench`: what each kind of request costs on the service as `npm start` runs it, beside what it must cost. */

/** How long each part of the floor is measured. */
const PART_S = 0.7;

async function main(options: BenchOptions, closing: AsyncDisposableStack): Promise<boolean> {
    const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load_before: loadavg() };
    console.log(machine);
    const work_dir = mkdtempSync(join(tmpdir(), 'bench-requests-'));
    closing.defer(() => rmSync(work_dir, { recursive: true, force: true }));
    const stack = await startStack(options);
    closing.defer(() => stack.stop());
    const db = new Client({ connectionString: stack.database_url });
    await db.connect();
    closing.defer(() => db.end());
    const ground = { world: await buildWorld(stack), db };

    const { postgres = [], redis = [] } = stack.groups;
    const log_file = join(work_dir, 'floor.log');
    const costs = await measureParts({ ...stack, groups: { postgres, redis }, log_file, seconds: PART_S });
    console.log(`\n${partTable(costs)}\n`);

    const jobs = JOBS.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
    const { seconds, connections } = options;
    const load = { seconds, connections, requests_file: join(work_dir, 'requests') };
    const outcomes: JobOutcome[] = [];
    for (const job of jobs) {
        const run = { ...load, job, ground, targets: stack.gateways, groups: stack.groups };
        const { outcome, first_request } = await runJob(run);
        const http_us = await measureHttp(run, { body: first_request?.body, sample: outcome.sample });
        outcomes.push({ ...outcome, floor: floorOf(job.parts, costs, http_us) });
        console.log(`${job.name}: ${Math.round(outcome.requests_per_second)} requests per second`);
    }
    const with_peer = jobs.filter(({ name }) => NAIVE_JOBS.includes(name));
    const naive = await runNaive({ ...load, jobs: with_peer, stack, world: ground.world });
    console.log(`\n${outcomeTable(outcomes)}\n\n${floorTable(outcomes)}\n`);
    if (naive.length > 0) console.log(`${naiveTable(naive, outcomes)}\n`);
    if (options.json !== undefined) {
        writeFileSync(options.json, JSON.stringify({ machine, options, costs, outcomes, naive }, null, 2));
    }
    const failed = [...outcomes, ...naive].filter(({ errors }) => errors > 0);
    for (const { name, first_error } of failed) console.error(`${name} had errors; the first:\n${first_error}`);
    return failed.length === 0;
}

const closing = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => closing.disposeAsync().finally(() => process.exit(1)));
}
let passed = false;
try {
    const names = JOBS.map(({ name }) => name);
    passed = await main(parseOptions(process.argv.slice(2), names), closing);
} finally {
    await closing.disposeAsync();
}
process.exit(passed ? 0 : 1);
