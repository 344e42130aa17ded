import '../../deploy/local/node-version.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseOptions } from './options.ts';
import { floorTable, naiveTable, outcomeTable, partTable } from './report.ts';
import { startStack } from './stack.ts';
import { JOB_NAMES, runSuite } from './suite.ts';

/** `npm run bench`: what each kind of request costs on the service as `npm start` runs it, beside what it must cost. */
async function main(closing: AsyncDisposableStack): Promise<boolean> {
    const options = parseOptions(process.argv.slice(2), JOB_NAMES);
    const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load_before: loadavg() };
    console.log(machine);
    const work_dir = mkdtempSync(join(tmpdir(), 'bench-requests-'));
    closing.defer(() => rmSync(work_dir, { recursive: true, force: true }));
    const stack = await startStack(options);
    closing.defer(() => stack.stop());
    const results = await runSuite({ ...options, stack, work_dir });
    const { costs, outcomes, naive } = results;
    console.log(`\n${partTable(costs)}\n\n${outcomeTable(outcomes)}\n\n${floorTable(outcomes)}\n`);
    if (naive.length > 0) console.log(`${naiveTable(naive, outcomes)}\n`);
    if (options.json !== undefined) {
        writeFileSync(options.json, JSON.stringify({ machine, options, ...results }, null, 2));
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
    passed = await main(closing);
} finally {
    await closing.disposeAsync();
}
process.exit(passed ? 0 : 1);
