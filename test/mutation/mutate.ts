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
 * `npm run mutation`: changes the core of the service in one place at a time, and counts how many of the changes its tests notice;
 * `npm run mutation -- AREA…` or `FILE…`: in those areas (areas.ts) or files alone. Fails where less than 85 % are noticed.
 */

const work_dir = mkdtempSync(join(tmpdir(), 'mutation-'));
const closing = new AsyncDisposableStack();
process.once('SIGINT', () => closing.disposeAsync().finally(() => process.exit(130)));
process.once('SIGTERM', () => closing.disposeAsync().finally(() => process.exit(143)));

async function main(): Promise<boolean> {
    closing.defer(() => rmSync(work_dir, { recursive: true, force: true }));
    execFileSync('npm', ['run', '--silent', 'ensure'], { cwd: 'test/mutation', stdio: 'inherit' });
    const options = { data_dir: work_dir, log: () => {} };
    const [postgres, redis] = await Promise.all([startPostgres(options), startRedis(options)]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const urls = { TEST_DATABASE_URL: postgres.url, TEST_ADMIN_URL: postgres.admin_url, TEST_REDIS_URL: redis.url };
    Object.assign(process.env, urls, { NODE_ENV: 'test' });

    let is_enough = true;
    for (const [name, area] of Object.entries(wanted(process.argv.slice(2)))) {
        console.log(`\n${name}: ${area.mutate.join(', ')}`);
        is_enough = report(name, await mutantsOf(area)) && is_enough;
    }
    return is_enough;
}

/** The areas that were asked for by name, and those of files that were. */
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
        ...(typescript ? await runStryker({ mutate: typescript, tests }, work_dir) : []),
        ...(lua ? await runLua({ mutate: lua, tests }, work_dir) : []),
    ];
}

let is_enough = false;
try {
    is_enough = await main();
} finally {
    await closing.disposeAsync();
}
process.exit(is_enough ? 0 : 1);
