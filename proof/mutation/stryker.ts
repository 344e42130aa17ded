import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from './areas.ts';
import type { Mutant } from './report.ts';

/** Time that tests get in addition to the time that they take on unchanged code, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The fields that are read of a report in the schema of mutation-testing-elements. */
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
 * Lets Stryker make one change at a time to the files and run the tests that reach it. Stryker instruments the
 * TypeScript sources, and Node strips the types. Worker threads do not see which change is active, so these tests run
 * jobs in their own thread.
 */
export async function runStryker({ mutate, tests }: Area, workDir: string): Promise<Mutant[]> {
    const reportFile = join(workDir, 'stryker.json');
    const configFile = join(workDir, 'stryker.config.json');
    const config = {
        mutate,
        testRunner: 'tap',
        tap: { testFiles: tests.filter((file) => existsSync(file)) },
        coverageAnalysis: 'perTest',
        concurrency: 1,
        timeoutMS: TIMEOUT_MS,
        disableTypeChecks: false,
        tsconfigFile: 'none', // Stryker would rewrite it with an API that TypeScript 7 does not have
        tempDirName: '.cache/mutation',
        ignorePatterns: ['.cache', '.data', 'docs', 'helm', 'client/dist'],
        reporters: ['json', 'progress-append-only'],
        jsonReporter: { fileName: reportFile },
        allowConsoleColors: false,
    };
    writeFileSync(configFile, JSON.stringify(config));
    const child = spawn('proof/mutation/node_modules/.bin/stryker', ['run', configFile], { stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`Stryker ended with ${code}.`);
    const { files } = JSON.parse(readFileSync(reportFile, 'utf8')) as Report; // Stryker wrote it
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
