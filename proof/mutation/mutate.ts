import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../deploy/local/databases/postgres.ts';
import { startRedis } from '../../deploy/local/databases/redis.ts';
import { AREAS, type Area } from './areas.ts';
import { runLua } from './lua.ts';
import { type Mutant, report } from './report.ts';
import { runStryker } from './stryker.ts';

/**
 * `npm run proof -- mutation`: changes the core of the service in one place at a time, and counts how many of the
 * changes its tests notice. `npm run proof -- mutation AREA…` or `FILE…` changes only those areas (areas.ts) or files.
 * Fails if the tests notice less than 85 %.
 */

const workDir = mkdtempSync(join(tmpdir(), 'mutation-'));
const closing = new AsyncDisposableStack();
process.once('SIGINT', () => closing.disposeAsync().finally(() => process.exit(130)));
process.once('SIGTERM', () => closing.disposeAsync().finally(() => process.exit(143)));

async function main(): Promise<boolean> {
    closing.defer(() => rmSync(workDir, { recursive: true, force: true }));
    execFileSync('npm', ['run', '--silent', 'ensure'], { cwd: 'proof/mutation', stdio: 'inherit' });
    const options = { dataDir: workDir, log: () => {} };
    const [postgres, redis] = await Promise.all([startPostgres(options), startRedis(options)]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const urls = { TEST_DATABASE_URL: postgres.url, TEST_ADMIN_URL: postgres.adminUrl, TEST_REDIS_URL: redis.url };
    Object.assign(process.env, urls, { NODE_ENV: 'test' });

    let isEnough = true;
    for (const [name, area] of Object.entries(wanted(process.argv.slice(2)))) {
        console.log(`\n${name}: ${area.mutate.join(', ')}`);
        isEnough = report(name, await mutantsOf(area)) && isEnough;
    }
    return isEnough;
}

/** The areas that the arguments name, and the areas of files that they name, reduced to these files. */
function wanted(asked: readonly string[]): Record<string, Area> {
    if (asked.length === 0) return AREAS;
    const unknown = asked.find((name) => !(name in AREAS) && !existsSync(name));
    if (unknown !== undefined) throw new Error(`${unknown} is neither an area nor a file.`);
    const chosen = Object.entries(AREAS).map(([name, { mutate, tests }]): [string, Area] => {
        const files = asked.includes(name) ? mutate : mutate.filter((file) => asked.includes(file));
        return [name, { mutate: files, tests }];
    });
    return Object.fromEntries(chosen.filter(([, { mutate }]) => mutate.length > 0));
}

async function mutantsOf({ mutate, tests }: Area): Promise<Mutant[]> {
    const programs = Map.groupBy(mutate, (file) => (file.endsWith('.lua') ? 'lua' : 'typescript'));
    const [typescript, lua] = [programs.get('typescript'), programs.get('lua')];
    return [
        ...(typescript ? await runStryker({ mutate: typescript, tests }, workDir) : []),
        ...(lua ? await runLua({ mutate: lua, tests }, workDir) : []),
    ];
}

let isEnough = false;
try {
    isEnough = await main();
} finally {
    await closing.disposeAsync();
}
process.exit(isEnough ? 0 : 1);
