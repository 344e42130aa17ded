import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Counts } from '../support/reporter.ts';
import type { Environment } from './databases.ts';
import { exceptInterrupted, workDir } from './lifetime.ts';

/** Longest time that one test file may take, in seconds. */
const FILE_TIMEOUT_S = Number(process.env['TEST_TIMEOUT_S'] ?? 300);

/**
 * Runs files under Node's test runner and prints what they cost. Each file has a process of its own, unless `isShared`:
 * the start of a process costs more than most unit tests.
 */
export async function runFiles(
    title: string,
    files: readonly string[],
    env: Environment,
    { isShared = false } = {},
): Promise<Counts> {
    if (files.length === 0) return { passed: 0, failed: 0, skipped: [], cpuSeconds: 0 };
    const countsFile = join(mkdtempSync(join(workDir, 'counts-')), 'counts.json');
    const began = performance.now();
    // Tests in one process run one after the other, because some replace its clock.
    const limits = [`--test-concurrency=${isShared ? 1 : 2}`, `--test-timeout=${FILE_TIMEOUT_S * 1_000}`];
    const preloaded = ['--import=./test/support/file-end.ts', '--import=./test/support/own-redis.ts'];
    const isolation = `--test-isolation=${isShared ? 'none' : 'process'}`;
    const args = [...preloaded, '--test', isolation, ...limits, '--test-reporter=./test/support/reporter.ts'];
    const child = spawn(process.execPath, [...args, ...files], {
        stdio: 'inherit',
        env: { ...process.env, NODE_ENV: 'test', ...env, TEST_COUNTS: countsFile },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    await exceptInterrupted();
    const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts; // the reporter's own type
    if (code !== 0 && counts.failed === 0) counts.failed = 1; // a file failed to load
    const seconds = Math.round((performance.now() - began) / 1_000);
    const cpu = Math.round(counts.cpuSeconds);
    console.log(`${title}: ${counts.passed} passed, ${counts.failed} failed in ${seconds} s (${cpu} s of CPU)`);
    return counts;
}
