import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from './areas.ts';
import type { Mutant } from './report.ts';

/** What tests are given beside the time that they take unchanged, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** What is read of a report in mutation-testing-elements' schema. */
interface Report {
    files: Record<string, { mutants: StrykerMutant[] }>;
}
interface StrykerMutant {
    mutatorName: string;
    replacement?: string;
    status: 'Killed' | 'Timeout' | 'RuntimeError' | 'CompileError' | 'Survived' | 'NoCoverage' | 'Ignored' | 'Pending';
    location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

/**
 * Has Stryker change the files, each change by itself, and run the tests that reach it. The sources are instrumented as the TypeScript
 * that they are: Node takes the types off. Threads of a pool do not see which change is active: tests run jobs in their own thread.
 */
export async function runStryker({ mutate, tests }: Area, work_dir: string): Promise<Mutant[]> {
    const report_file = join(work_dir, 'stryker.json');
    const config_file = join(work_dir, 'stryker.config.json');
    const config = {
        mutate,
        testRunner: 'tap',
        tap: { testFiles: tests.filter((file) => existsSync(file)) },
        coverageAnalysis: 'perTest',
        concurrency: 1,
        timeoutMS: TIMEOUT_MS,
        disableTypeChecks: false,
        tsconfigFile: 'none', // it would be rewritten by an interface that TypeScript 7 does not have
        tempDirName: '.cache/mutation',
        ignorePatterns: ['.cache', '.data', 'docs', 'helm', 'client/dist'],
        reporters: ['json', 'progress-append-only'],
        jsonReporter: { fileName: report_file },
        allowConsoleColors: false,
    };
    writeFileSync(config_file, JSON.stringify(config));
    const child = spawn('test/mutation/node_modules/.bin/stryker', ['run', config_file], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`Stryker ended with ${code}.`);
    const { files } = JSON.parse(readFileSync(report_file, 'utf8')) as Report; // Stryker's own
    return Object.entries(files).flatMap(([file, { mutants }]) => {
        const lines = readFileSync(file, 'utf8').split('\n');
        return mutants.flatMap((mutant) => mutantOf(file, lines, mutant));
    });
}

function mutantOf(
    file: string,
    lines: string[],
    { mutatorName, replacement, status, location }: StrykerMutant,
): Mutant[] {
    if (status === 'Ignored') return [];
    const { start, end } = location;
    const line = lines[start.line - 1] ?? '';
    const original = line.slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined);
    const caught = status !== 'Survived' && status !== 'NoCoverage';
    return [{ file, line: start.line, change: `${mutatorName}: ${original} → ${replacement ?? ''}`, caught }];
}
