import '../../deploy/local/node-version.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runAndClose } from '../../bench/bed.ts';
import { table } from '../../bench/table.ts';
import { type GivenDatabase, startPostgres, startRedis } from './databases.ts';
import { type Availability, obtain, type Pair, pairUp } from './images.ts';
import { parseOptions, type VersionsOptions } from './options.ts';

/**
 * `npm run proof -- versions`: runs the tests against each supported version of PostgreSQL and Redis, in containers.
 */

/** NO_SKIPS=1 says that every image can be pulled. A missing image then fails the run. */
const NO_SKIPS = process.env['NO_SKIPS'] === '1';
const OWN: GivenDatabase = { env: {}, version: "this machine's own" };

interface Run {
    pair: Pair;
    versions: string;
    passed: boolean;
}

async function testVersions(closing: AsyncDisposableStack, { images, files }: VersionsOptions): Promise<boolean> {
    const found = await obtain(images);
    const runs: Run[] = [];
    for (const pair of pairUp(found.filter(({ missing }) => missing === undefined))) {
        console.log(`\n${pair.postgres ?? OWN.version} and ${pair.redis ?? OWN.version}:`);
        runs.push(await runWith(pair, files, closing));
    }
    report(found, runs);
    const missing = found.filter((image) => image.missing !== undefined);
    return runs.length > 0 && runs.every(({ passed }) => passed) && !(NO_SKIPS && missing.length > 0);
}

async function runWith(pair: Pair, files: string[], closing: AsyncDisposableStack): Promise<Run> {
    await using databases = closing.use(new AsyncDisposableStack());
    const postgres = pair.postgres === undefined ? OWN : await startPostgres(pair.postgres, databases);
    const redis = pair.redis === undefined ? OWN : await startRedis(pair.redis, databases);
    const child = spawn(process.execPath, ['test/run.ts', ...files], {
        stdio: 'inherit',
        env: { ...process.env, ...postgres.env, ...redis.env },
    });
    databases.defer(() => void child.kill('SIGTERM'));
    const [code] = (await once(child, 'exit')) as [number | null];
    return { pair, versions: `${postgres.version}, ${redis.version}`, passed: code === 0 };
}

function report(found: readonly Availability[], runs: readonly Run[]): void {
    const rows = found.map(({ image, missing }) => {
        const run = runs.find(({ pair }) => pair.postgres === image || pair.redis === image);
        if (!run) return [image, 'not available', missing ?? ''];
        return [image, run.passed ? 'passed' : 'FAILED', run.versions];
    });
    console.log(`\n${table(['image', 'tests', 'versions, or why not'], rows)}\n`);
}

await runAndClose(parseOptions, testVersions);
