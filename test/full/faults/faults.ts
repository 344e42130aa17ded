import '../../../deploy/local/node-version.ts';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDir } from '../../../deploy/local/data-dir.ts';
import { findRedis } from '../../../deploy/local/databases/redis-program.ts';
import { parseFaultOptions } from './options.ts';
import { page, report } from './report.ts';
import { runScenario } from './run-scenario.ts';
import type { Result, Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { makeTemplate } from './stack/postgres-server.ts';

/**
 * `npm run proof -- faults`: breaks the dependencies of the service while clients write, and reads everything back.
 * Exits with 1 if an invariant of docs/reliability.md is broken.
 */

const options = parseFaultOptions(process.argv.slice(2));
const dir = mkdtempSync(join(tmpdir(), 'credential-faults-'));
chmodSync(dir, 0o711); // PostgreSQL does not run as root and must reach its folders
const closing = new AsyncDisposableStack();
/** Whether the logs and journals of the scenarios are kept after the run. */
const keeps = process.env['FAULTS_KEEP'] === '1';
closing.defer(() => {
    if (keeps) console.log(`Logs and journals: ${dir}`);
    else rmSync(dir, { recursive: true, force: true });
});
/** What the current scenarios have started. */
const current = new Set<AsyncDisposableStack>();
/** Number of mostly idle scenarios that run at the same time. */
const IDLE_LANES = 2;

const stopping = new AbortController();
let ending: Promise<void> | undefined;

/** Ends everything that was started. Repeated calls wait for the first one. */
function end(): Promise<void> {
    ending ??= Promise.all(Array.from(current, (stack) => stack.disposeAsync()))
        .finally(() => closing.disposeAsync())
        .then(() => undefined);
    return ending;
}
for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
] as const) {
    process.on(signal, () => {
        process.exitCode = code;
        stopping.abort();
        end().finally(() => process.exit(code));
    });
}

async function main(): Promise<boolean> {
    const { ids, form } = options;
    const isChosen = (scenario: Scenario): boolean =>
        (ids.length === 0 || ids.includes(scenario.id)) && (form === undefined || form === scenario.form);
    const chosen = SCENARIOS.filter(isChosen);
    if (chosen.length === 0) throw new Error('No scenario matches the options.');
    const template = openDataDir(join(dir, 'template'));
    await makeTemplate(template);
    const redisProgram = await findRedis({ dataDir: dir, log: console.log });
    const began = performance.now();
    const results: Result[] = Array(chosen.length);
    const run = async (scenario: Scenario): Promise<void> => {
        if (stopping.signal.aborted) return;
        const index = chosen.indexOf(scenario);
        const result = await runOne(scenario, join(dir, String(index)), { template, redisProgram });
        results[index] = result;
        console.log(`${report([result], result.seconds)}\n`);
    };
    for (const scenario of chosen) if (!scenario.isMostlyIdle) await run(scenario);
    const idle = chosen.filter(({ isMostlyIdle }) => isMostlyIdle).values();
    const lane = async (): Promise<void> => {
        for (const scenario of idle) await run(scenario);
    };
    await Promise.all(Array.from({ length: IDLE_LANES }, lane));
    if (stopping.signal.aborted) return false;
    const seconds = (performance.now() - began) / 1_000;
    console.log(report(results, seconds));
    if (options.report) writeFileSync(options.report, page(results, seconds, new Date()));
    return results.every(({ broken }) => broken.length === 0);
}

async function runOne(
    scenario: Scenario,
    folder: string,
    environment: Pick<Parameters<typeof runScenario>[2], 'template' | 'redisProgram'>,
): Promise<Result> {
    const { id, fault } = scenario;
    const nothing = { id, fault, acknowledged: 0, lost: 0, broken: [], missed: [], notes: [], seconds: 0 };
    const skipped = scenario.obstacle?.();
    if (skipped !== undefined) return { ...nothing, skipped };
    const own = new AsyncDisposableStack();
    current.add(own);
    try {
        return await runScenario(scenario, folder, { ...environment, closing: own }, options.seconds);
    } catch (error) {
        const { stack = '' } = error as Error; // only Errors are thrown here
        return { ...nothing, broken: [{ invariant: 'I6', text: `the scenario failed: ${stack}` }] };
    } finally {
        if (stopping.signal.aborted) await end();
        else await own.disposeAsync();
        current.delete(own);
        if (!keeps) rmSync(folder, { recursive: true, force: true });
    }
}

let passed = false;
try {
    passed = await main();
} finally {
    await end();
}
process.exit(process.exitCode ?? (passed ? 0 : 1));
