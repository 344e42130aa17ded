import '../deploy/local/node-version.ts';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { openBed, runAndClose } from './bed.ts';
import { type BenchOptions, parseOptions } from './options.ts';
import { comparisons, floorTable, naiveTable, outcomeTable } from './report.ts';
import { JOB_NAMES, runSuite } from './suite.ts';

/**
 * `npm run bench`: measures what each kind of request costs on the service that `npm start` runs, and compares this
 * with its floor, the cost that no implementation can avoid.
 */
async function bench(closing: AsyncDisposableStack, options: BenchOptions): Promise<boolean> {
    const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, loadBefore: loadavg() };
    console.log(machine);
    const bed = await openBed(closing, options);
    const results = await runSuite({ ...options, ...bed });
    const { outcomes, naive } = results;
    console.log(`\n${outcomeTable(outcomes)}\n\n${floorTable(outcomes)}\n`);
    for (const line of comparisons(outcomes)) console.log(`${line}\n`);
    if (naive.length > 0) console.log(`${naiveTable(naive, outcomes)}\n`);
    if (options.json !== undefined) {
        writeFileSync(options.json, JSON.stringify({ machine, options, ...results }, null, 2));
    }
    const failed = [...outcomes, ...naive].filter(({ errors }) => errors > 0);
    for (const { name, firstError } of failed) console.error(`${name} had errors; the first:\n${firstError}`);
    return failed.length === 0;
}

await runAndClose((args) => parseOptions(args, JOB_NAMES), bench);
