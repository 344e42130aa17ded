import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import type { Area } from './areas.ts';
import { luaMutants } from './lua-mutants.ts';
import type { Mutant } from './report.ts';

/** Longest time that a test file may take, in milliseconds. A file that takes longer is in an endless loop. */
const TIMEOUT_MS = 120_000;

/**
 * Makes one change at a time to Lua programs in a copy of the tree, and runs the tests there. Each run starts with an
 * empty Redis, so that data of one changed program cannot fail the tests of the next.
 */
export async function runLua({ mutate, tests }: Area, workDir: string): Promise<Mutant[]> {
    const tree = join(workDir, 'tree');
    for (const file of execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean)) {
        mkdirSync(dirname(join(tree, file)), { recursive: true });
        cpSync(file, join(tree, file), { recursive: true, verbatimSymlinks: true }); // a link may lead to a folder
    }
    symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
    if (!(await passes(tests, tree))) throw new Error('The tests fail before anything is changed.');
    const mutants: Mutant[] = [];
    for (const file of mutate) {
        const source = readFileSync(file, 'utf8');
        for (const { line, change, source: changed } of luaMutants(source)) {
            writeFileSync(join(tree, file), changed);
            const caught = !(await passes(tests, tree));
            mutants.push({ file, line, change, caught });
            console.log(`${caught ? 'caught' : 'SURVIVED'}: ${file}:${line} ${change}`);
        }
        writeFileSync(join(tree, file), source);
    }
    if (!(await passes(tests, tree))) throw new Error('The tests fail after all changes are undone.');
    return mutants;
}

/** Whether all tests pass. Stops at the first file that fails. */
async function passes(tests: readonly string[], cwd: string): Promise<boolean> {
    const redis = new Redis(process.env['TEST_REDIS_URL'] as string); // mutate.ts sets it
    await redis.flushall();
    redis.disconnect();
    for (const file of tests) {
        const child = spawn(process.execPath, ['--test', '--test-timeout=30000', file], { cwd, stdio: 'ignore' });
        const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
        const [code] = (await once(child, 'exit')) as [number | null];
        clearTimeout(timer);
        if (code !== 0) return false;
    }
    return true;
}
