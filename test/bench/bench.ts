import '../../deploy/local/node-version.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { JOBS } from './jobs/index.ts';
import { type Ground, type Job, requestsFor } from './jobs/job.ts';
import { writeRequests } from './load/requests.ts';
import { measureLoad } from './load/run.ts';
import { type BenchOptions, parseOptions } from './options.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { outcomeTable } from './report.ts';
import { type Stack, startStack } from './stack.ts';
import { buildWorld } from './world.ts';

/** `npm run bench`: what each kind of request costs, by a load on the service as `npm start` runs it. */

const WARMUP_S = 1.5;

const closing = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => closing.disposeAsync().finally(() => process.exit(1)));
}

async function main(options: BenchOptions): Promise<boolean> {
    console.log(
        `Load of the machine before: ${loadavg()
            .map((load) => load.toFixed(2))
            .join(' ')}`,
    );
    const work_dir = mkdtempSync(join(tmpdir(), 'bench-requests-'));
    closing.defer(() => rmSync(work_dir, { recursive: true, force: true }));
    const stack = await startStack(options);
    closing.defer(() => stack.stop());
    const db = new Client({ connectionString: stack.database_url });
    await db.connect();
    closing.defer(() => db.end());
    const ground = { world: await buildWorld(stack), db };
    const outcomes: Outcome[] = [];
    for (const job of JOBS.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
        outcomes.push(await runJob({ job, options, stack, ground, requests_file: join(work_dir, 'requests') }));
    }
    console.log(`\n${outcomeTable(outcomes)}\n`);
    if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ options, outcomes }, null, 2));
    const failed = outcomes.filter(({ errors }) => errors > 0);
    for (const { name, first_error } of failed) console.error(`${name} had errors; the first:\n${first_error}`);
    return failed.length === 0;
}

async function runJob({
    job,
    options,
    stack,
    ground,
    requests_file,
}: {
    job: Job;
    options: BenchOptions;
    stack: Stack;
    ground: Ground;
    requests_file: string;
}): Promise<Outcome> {
    const { connections, seconds } = options;
    writeRequests(requests_file, await requestsFor(job, WARMUP_S + seconds, ground));
    const { expected_status, repeat = false } = job;
    const plan = { targets: stack.gateways, connections, expected_status, repeat, warmup_s: WARMUP_S, seconds };
    const outcome = outcomeOf(job.name, await measureLoad({ ...plan, requests_file }, stack.groups));
    console.log(`${job.name}: ${Math.round(outcome.requests_per_second)} requests per second`);
    return outcome;
}

let passed = false;
try {
    passed = await main(
        parseOptions(
            process.argv.slice(2),
            JOBS.map(({ name }) => name),
        ),
    );
} finally {
    await closing.disposeAsync();
}
process.exit(passed ? 0 : 1);
