import '../deploy/local/node-version.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type LocalPostgres, type LocalServer, startPostgres } from '../deploy/local/databases/postgres.ts';
import { startRedis } from '../deploy/local/databases/redis.ts';
import { terminate } from '../deploy/local/processes.ts';
import { processesOf } from './process/launch/launch.ts';
import { startPgbouncer } from './support/pgbouncer.ts';
import type { Counts } from './support/reporter.ts';
import { startService, type Transport } from './support/service.ts';

/**
 * `npm test`: runs all tests on a real PostgreSQL and a real Redis that it starts. `npm test -- PREFIX…` runs only the
 * files whose path begins with a prefix. The last line is `N passed, N failed`, with `, N skipped` if tests were
 * skipped.
 */

const PARTS = ['unit', 'contract', 'vectors', 'integration', 'process', 'attack', 'deploy', 'faults'] as const;
const END_TO_END = 'test/e2e/';
/**
 * Transport of the running service that E2E_URLS names, if any. The environment of this process describes that service.
 */
const GIVEN_SERVICE = process.env['E2E_URLS'] ? (process.env['E2E_TRANSPORT'] as Transport) : undefined;
/** `npm run test:unary`: the processes of the end-to-end tests call each other without frames (RPC_FRAMES=0). */
const WITHOUT_FRAMES = process.env['E2E_RPC_FRAMES'] === '0';
/** `npm run test:processes`: the end-to-end tests run on `npm start` with this many processes behind one port. */
const PROCESSES = process.env['E2E_PROCESSES'];
/** `npm run test:pgbouncer`: the end-to-end tests reach PostgreSQL through pgbouncer in transaction mode. */
const BEHIND_PGBOUNCER = process.env['E2E_POOLER'] === 'pgbouncer';

/** Longest time that one test file may take, in seconds. */
const FILE_TIMEOUT_S = Number(process.env['TEST_TIMEOUT_S'] ?? 300);

type Environment = Record<string, string>;

const workDir = mkdtempSync(join(tmpdir(), 'credential-test-'));
/** Temporary folder of all tests. endAll finds the processes that tests start by this path in their environment. */
const temporaryDir = join(workDir, 'tmp');
mkdirSync(temporaryDir);
process.env['TMPDIR'] = temporaryDir;
// Hundreds of processes load the same modules: the tests, and the services that they start.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compile');
const closing = new AsyncDisposableStack();
/** Time that processes get to exit after an interrupt before endAll kills them, in milliseconds. */
const TIMEOUT_MS = 15_000;
let interrupted: Promise<never> | undefined;
for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
    process.once(signal, () => {
        interrupted ??= endAll(code);
    });
}

/** Ends all processes that this run started, directly or indirectly, then the databases, then this process. */
async function endAll(code: number): Promise<never> {
    const started = () => processesOf(temporaryDir).filter(({ pid }) => pid !== process.pid);
    const how = { gently: 'SIGTERM', timeoutMs: TIMEOUT_MS, firmly: 'SIGKILL' } as const;
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
    closing.defer(() => rmSync(workDir, { recursive: true, force: true }));
    const databases = await startDatabases();
    const asked = process.argv.slice(2);
    const wanted = (pattern: string): string[] => {
        const files = globSync(pattern, { exclude: ['**/node_modules/**'] }).sort();
        return asked.length === 0 ? files : files.filter((file) => asked.some((prefix) => file.startsWith(prefix)));
    };

    const totals: Counts = { passed: 0, failed: 0, skipped: [] };
    for (const part of PARTS) add(totals, await runFiles(part, wanted(`test/${part}/**/*.test.ts`), databases));
    const e2e = wanted(`${END_TO_END}**/*.test.ts`);
    const numbers = new Set<number>();
    for (const round of endToEndRounds()) {
        const files = e2e.filter((file) => file.startsWith(round.files));
        const counts = await runEndToEnd(round, files, databases);
        add(totals, counts);
        if (round.files === END_TO_END) numbers.add(counts.passed + counts.failed + counts.skipped.length);
    }
    const equal = numbers.size <= 1;
    if (!equal) console.log('The transports ran different numbers of end-to-end tests.');
    const unlisted = totals.skipped.filter(({ name }) => !mayBeSkipped().has(name));
    for (const { name, reason } of totals.skipped) console.log(`skipped: ${name} (${reason})`);
    for (const { name } of unlisted) console.log(`may not be skipped here (test/skips.txt): ${name}`);
    const skips = totals.skipped.length > 0 ? `, ${totals.skipped.length} skipped` : '';
    console.log(`${totals.passed} passed, ${totals.failed} failed${skips}`);
    return equal && unlisted.length === 0 && totals.failed === 0 && totals.passed > 0;
}

async function startDatabases(): Promise<Environment> {
    const options = { dataDir: workDir, log: () => {} };
    const [postgres, redis] = await Promise.all([
        givenPostgres() ?? startPostgres(options),
        givenRedis() ?? startRedis(options),
    ]);
    closing.defer(() => postgres.stop());
    closing.defer(() => redis.stop());
    const urls = { TEST_DATABASE_URL: postgres.url, TEST_ADMIN_URL: postgres.adminUrl, TEST_REDIS_URL: redis.url };
    if (!BEHIND_PGBOUNCER) return urls;
    const pgbouncer = await startPgbouncer({ databaseUrl: postgres.url, dir: workDir });
    closing.defer(() => pgbouncer.stop());
    return { ...urls, TEST_POOLER_URL: pgbouncer.url };
}

/** A PostgreSQL that runs already, started by `npm run test:versions`. This run does not stop it. */
function givenPostgres(): Pick<LocalPostgres, 'url' | 'adminUrl' | 'stop'> | undefined {
    const { TEST_DATABASE_URL: url, TEST_ADMIN_URL: adminUrl } = process.env;
    return url && adminUrl ? { url, adminUrl, stop: async () => {} } : undefined;
}

function givenRedis(): Pick<LocalServer, 'url' | 'stop'> | undefined {
    const { TEST_REDIS_URL: url } = process.env;
    return url ? { url, stop: async () => {} } : undefined;
}

interface Round {
    transport: Transport;
    /** False: the processes call each other without frames. */
    frames?: boolean;
    /** `npm start` runs this many processes behind one port. */
    processes?: number;
    /** Beginning of the paths of its test files. */
    files: string;
}

/**
 * How the end-to-end tests run: over each transport, and a part of them once more without frames and with several
 * processes. If E2E_URLS names a running service, they run once, on that. test/deploy/compose.sh shows the other
 * variables that describe it.
 */
function endToEndRounds(): readonly Round[] {
    if (GIVEN_SERVICE) return [{ transport: GIVEN_SERVICE, files: END_TO_END }];
    if (WITHOUT_FRAMES) return [{ transport: 'grpc', frames: false, files: END_TO_END }];
    if (PROCESSES) return [{ transport: 'local', processes: Number(PROCESSES), files: END_TO_END }];
    return [
        { transport: 'local', files: END_TO_END },
        { transport: 'grpc', files: END_TO_END },
        { transport: 'grpc', frames: false, files: `${END_TO_END}credentials/` },
        { transport: 'local', processes: 2, files: `${END_TO_END}credentials/` },
    ];
}

async function runEndToEnd(
    { transport, frames = true, processes }: Round,
    files: string[],
    databases: Environment,
): Promise<Counts> {
    if (files.length === 0) return { passed: 0, failed: 0, skipped: [] };
    if (GIVEN_SERVICE) return runFiles('end to end, the given service', files, databases);
    const service = await startService({
        transport,
        // startDatabases sets all of these.
        adminUrl: databases['TEST_ADMIN_URL'] as string,
        databaseUrl: databases['TEST_DATABASE_URL'] as string,
        redisUrl: databases['TEST_REDIS_URL'] as string,
        poolerUrl: databases['TEST_POOLER_URL'],
        logDir: workDir,
        settings: { RPC_FRAMES: frames ? '1' : '0' },
        processes,
    });
    try {
        const several = processes === undefined ? '' : ` with ${processes} processes`;
        const title = `end to end, ${transport}${frames ? '' : ' without frames'}${several}`;
        return await runFiles(title, files, { ...databases, ...service.env });
    } finally {
        await service.stop();
    }
}

/** Runs files under Node's test runner, each in a process of its own. */
async function runFiles(title: string, files: string[], env: Environment): Promise<Counts> {
    const countsFile = join(workDir, 'counts.json');
    rmSync(countsFile, { force: true });
    if (files.length === 0) return { passed: 0, failed: 0, skipped: [] };
    const began = performance.now();
    const limits = ['--test-concurrency=2', `--test-timeout=${FILE_TIMEOUT_S * 1_000}`];
    const preloaded = ['--import=./test/support/file-end.ts', '--import=./test/support/own-redis.ts'];
    const args = [...preloaded, '--test', ...limits, '--test-reporter=./test/support/reporter.ts'];
    const child = spawn(process.execPath, [...args, ...files], {
        stdio: 'inherit',
        env: { ...process.env, NODE_ENV: 'test', ...env, TEST_COUNTS: countsFile },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    await interrupted;
    const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts; // the reporter's own type
    if (code !== 0 && counts.failed === 0) counts.failed = 1; // a file failed to load
    const seconds = Math.round((performance.now() - began) / 1_000);
    console.log(`${title}: ${counts.passed} passed, ${counts.failed} failed in ${seconds} s`);
    return counts;
}

/**
 * The names in test/skips.txt. With NO_SKIPS=1, which says that every optional program is installed, only the names
 * marked `always`.
 */
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
