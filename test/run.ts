import '../deploy/local/node-version.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalPostgres, type LocalServer, startPostgres } from '../deploy/local/databases/postgres.ts';
import { startRedis } from '../deploy/local/databases/redis.ts';
import { terminate } from '../deploy/local/processes.ts';
import { processesOf } from './process/launch/launch.ts';
import { startPgbouncer } from './support/pgbouncer.ts';
import type { Counts } from './support/reporter.ts';
import { startService, type Transport } from './support/service.ts';

/**
 * `npm test`: all tests on real PostgreSQL and Redis of this run's own; `npm test -- FILE…`: those files alone. Ends with the
 * line `N passed, N failed`, and `, N skipped` where that happened.
 */

const PARTS = ['unit', 'contract', 'vectors', 'integration', 'process', 'attack', 'deploy', 'faults'] as const;
const TRANSPORTS: readonly Transport[] = ['local', 'grpc'];
/** The transport of the service that E2E_URLS names: what describes it is in this process' environment. */
const GIVEN_SERVICE = process.env['E2E_URLS'] ? (process.env['E2E_TRANSPORT'] as Transport) : undefined;
/** `npm run test:pgbouncer`: the services of the end-to-end tests reach PostgreSQL through pgbouncer, in transaction mode. */
const BEHIND_PGBOUNCER = process.env['E2E_POOLER'] === 'pgbouncer';

/** How long one file may take. */
const FILE_TIMEOUT_S = Number(process.env['TEST_TIMEOUT_S'] ?? 300);

type Environment = Record<string, string>;

const work_dir = mkdtempSync(join(tmpdir(), 'credential-test-'));
/** All that tests write is below it, and by it all that they start is found. */
const temporary_dir = join(work_dir, 'tmp');
mkdirSync(temporary_dir);
process.env['TMPDIR'] = temporary_dir;
const closing = new AsyncDisposableStack();
/** How long what was started may take to end by itself once the run is interrupted, in milliseconds. */
const TIMEOUT_MS = 15_000;
let interrupted: Promise<never> | undefined;
for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
    process.once(signal, () => {
        interrupted ??= endAll(code);
    });
}

/** Ends what this run has started and what that has started in turn, then the databases, then this process. */
async function endAll(code: number): Promise<never> {
    const started = () => processesOf(temporary_dir).filter(({ pid }) => pid !== process.pid);
    const how = { gently: 'SIGTERM', patience_ms: TIMEOUT_MS, firmly: 'SIGKILL' } as const;
    try {
        for (let found = started(); found.length > 0; found = started()) {
            await Promise.all(found.map(({ pid }) => terminate(pid, how)));
        }
        await closing.disposeAsync();
    } finally {
        process.exit(code);
    }
}

async function main(): Promise<boolean> {
    closing.defer(() => rmSync(work_dir, { recursive: true, force: true }));
    const databases = await startDatabases();
    const asked = process.argv.slice(2);
    const wanted = (pattern: string): string[] => {
        const files = globSync(pattern, { exclude: ['**/node_modules/**'] }).sort();
        return asked.length === 0 ? files : files.filter((file) => asked.some((prefix) => file.startsWith(prefix)));
    };

    const totals: Counts = { passed: 0, failed: 0, skipped: [] };
    for (const part of PARTS) add(totals, await runFiles(part, wanted(`test/${part}/**/*.test.ts`), databases));
    const e2e = wanted('test/e2e/**/*.test.ts');
    const by_transport = [];
    for (const transport of e2e.length > 0 ? transports() : []) {
        const counts = await runEndToEnd(transport, e2e, databases);
        add(totals, counts);
        by_transport.push(counts.passed + counts.failed + counts.skipped.length);
    }
    const equal = new Set(by_transport).size <= 1;
    if (!equal) console.log('The transports ran different numbers of end-to-end tests.');
    const unlisted = totals.skipped.filter(({ name }) => !mayBeSkipped().has(name));
    for (const { name, reason } of totals.skipped) console.log(`skipped: ${name} (${reason})`);
    for (const { name } of unlisted) console.log(`may not be skipped here (test/skips.txt): ${name}`);
    const skips = totals.skipped.length > 0 ? `, ${totals.skipped.length} skipped` : '';
    console.log(`${totals.passed} passed, ${totals.failed} failed${skips}`);
    return equal && unlisted.length === 0 && totals.failed === 0 && totals.passed > 0;
}

async function startDatabases(): Promise<Environment> {
    const options = { data_dir: work_dir, log: () => {} };
    const [postgres, redis] = await Promise.all([
        givenPostgres() ?? startPostgres(options),
        givenRedis() ?? startRedis(options),
    ]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const urls = { TEST_DATABASE_URL: postgres.url, TEST_ADMIN_URL: postgres.admin_url, TEST_REDIS_URL: redis.url };
    if (!BEHIND_PGBOUNCER) return urls;
    const pgbouncer = await startPgbouncer({ database_url: postgres.url, dir: work_dir });
    closing.defer(() => pgbouncer.stop());
    return { ...urls, TEST_POOLER_URL: pgbouncer.url };
}

/** What runs already, and is left running: `npm run test:versions` names it. */
function givenPostgres(): Pick<LocalPostgres, 'url' | 'admin_url' | 'stop'> | undefined {
    const { TEST_DATABASE_URL: url, TEST_ADMIN_URL: admin_url } = process.env;
    return url && admin_url ? { url, admin_url, stop: async () => {} } : undefined;
}

function givenRedis(): Pick<LocalServer, 'url' | 'stop'> | undefined {
    const { TEST_REDIS_URL: url } = process.env;
    return url ? { url, stop: async () => {} } : undefined;
}

/** Both, unless E2E_URLS names a service that runs already; test/deploy/compose.sh shows what else describes it. */
function transports(): readonly Transport[] {
    return GIVEN_SERVICE ? [GIVEN_SERVICE] : TRANSPORTS;
}

async function runEndToEnd(transport: Transport, files: string[], databases: Environment): Promise<Counts> {
    if (GIVEN_SERVICE) return runFiles('end to end, the given service', files, databases);
    const service = await startService({
        transport,
        // startDatabases gives them all
        admin_url: databases['TEST_ADMIN_URL'] as string,
        database_url: databases['TEST_DATABASE_URL'] as string,
        redis_url: databases['TEST_REDIS_URL'] as string,
        pooler_url: databases['TEST_POOLER_URL'],
        log_dir: work_dir,
    });
    try {
        return await runFiles(`end to end, ${transport}`, files, { ...databases, ...service.env });
    } finally {
        await service.stop();
    }
}

/** Runs files under Node's test runner, each in a process of its own. */
async function runFiles(title: string, files: string[], env: Environment): Promise<Counts> {
    const counts_file = join(work_dir, 'counts.json');
    rmSync(counts_file, { force: true });
    if (files.length === 0) return { passed: 0, failed: 0, skipped: [] };
    const began = performance.now();
    const limits = ['--test-concurrency=2', `--test-timeout=${FILE_TIMEOUT_S * 1_000}`];
    const preloaded = ['--import=./test/support/file-end.ts', '--import=./test/support/own-redis.ts'];
    const args = [...preloaded, '--test', ...limits, '--test-reporter=./test/support/reporter.ts'];
    const child = spawn(process.execPath, [...args, ...files], {
        stdio: 'inherit',
        env: { ...process.env, NODE_ENV: 'test', ...env, TEST_COUNTS: counts_file },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    await interrupted;
    const counts = JSON.parse(readFileSync(counts_file, 'utf8')) as Counts; // the reporter's own type
    if (code !== 0 && counts.failed === 0) counts.failed = 1; // a file that did not even load
    const seconds = Math.round((performance.now() - began) / 1_000);
    console.log(`${title}: ${counts.passed} passed, ${counts.failed} failed in ${seconds} s`);
    return counts;
}

/** The names in test/skips.txt; of these, where NO_SKIPS=1 says that all is installed, those that cannot run even so. */
function mayBeSkipped(): Set<string> {
    const lines = readFileSync('test/skips.txt', 'utf8').split('\n');
    const listed = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
    const allowed = process.env['NO_SKIPS'] === '1' ? listed.filter(([, , always]) => always === 'always') : listed;
    return new Set(allowed.map(([name = '']) => name));
}

function add(totals: Counts, counts: Counts): void {
    totals.passed += counts.passed;
    totals.failed += counts.failed;
    totals.skipped.push(...counts.skipped);
}

let passed = false;
try {
    passed = await main();
} finally {
    await (interrupted ?? closing.disposeAsync());
}
process.exit(passed ? 0 : 1);
