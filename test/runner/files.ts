import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Counts } from '../support/reporter.ts';
import type { Environment } from './databases.ts';
import type { Lanes } from './lanes.ts';
import { exceptInterrupted, workDir } from './lifetime.ts';

/** Longest time that one test may take, in seconds. */
const TEST_TIMEOUT_S = Number(process.env['TEST_TIMEOUT_S'] ?? 300);
/** Longest time that a process may take for its files, in milliseconds. */
const PROCESS_TIMEOUT_MS = 1_800_000;
/** The output names processes that took longer than this, in seconds. */
const LONG_S = 45;

/** What test files run with. */
export interface Resources {
    /** Tells the tests where the databases and the service are. */
    env: Environment;
    lanes: Lanes;
}

/** Runs test files under Node's test runner and prints what they cost. */
export async function runFiles(title: string, files: readonly string[], { env, lanes }: Resources): Promise<Counts> {
    if (files.length === 0) return sumOf([]);
    const took = stopwatch();
    const groups = Object.values(Object.groupBy(files, sharedBy)) as string[][]; // no group is empty
    const largestFirst = groups.toSorted((one, other) => other.length - one.length);
    const counts = sumOf(
        await Promise.all(largestFirst.map((group) => lanes(group.length, () => runProcess(group, env)))),
    );
    print(title, counts, took());
    return counts;
}

/** Returns a function that returns the time since now, in seconds. */
function stopwatch(): () => number {
    const began = performance.now();
    return () => Math.round((performance.now() - began) / 1_000);
}

function print(title: string, { passed, failed, cpuSeconds }: Counts, seconds: number): void {
    console.log(`${title}: ${passed} passed, ${failed} failed in ${seconds} s (${Math.round(cpuSeconds)} s of CPU)`);
}

/**
 * The files with the same result share a process: those of a folder, because its start costs more than most tests. The
 * other tests kill, hang and flood, so each file of theirs has a process of its own.
 */
function sharedBy(file: string): string {
    return /^test\/(full|proof)\//.test(file) ? file : dirname(file);
}

/** Runs files in one process, one test after the other, because some replace its clock. */
async function runProcess(files: readonly string[], env: Environment): Promise<Counts> {
    const took = stopwatch();
    const countsFile = join(mkdtempSync(join(workDir, 'counts-')), 'counts.json');
    const preloaded = ['--import=./test/support/file-end.ts', '--import=./test/support/own-redis.ts'];
    const limits = ['--test-concurrency=1', `--test-timeout=${TEST_TIMEOUT_S * 1_000}`];
    const args = [
        ...preloaded,
        '--test',
        '--test-isolation=none',
        ...limits,
        '--test-reporter=./test/support/reporter.ts',
    ];
    const child = spawn(process.execPath, [...args, ...files], {
        stdio: 'inherit',
        timeout: PROCESS_TIMEOUT_MS,
        env: { ...process.env, NODE_ENV: 'test', ...env, TEST_COUNTS: countsFile },
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    await exceptInterrupted();
    const counts = existsSync(countsFile)
        ? (JSON.parse(readFileSync(countsFile, 'utf8')) as Counts) // the reporter's own type
        : sumOf([]);
    if (code !== 0 && counts.failed === 0) {
        console.log(`The process of ${files.join(', ')} has ended with ${signal ?? code}.`);
        counts.failed = 1;
    }
    if (took() > LONG_S) print(files.length === 1 ? String(files) : dirname(files[0] as string), counts, took());
    return counts;
}

export function sumOf(all: readonly Counts[]): Counts {
    return {
        passed: all.reduce((sum, { passed }) => sum + passed, 0),
        failed: all.reduce((sum, { failed }) => sum + failed, 0),
        skipped: all.flatMap(({ skipped }) => skipped),
        cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    };
}
