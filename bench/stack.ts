import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecret, keptSigningKey } from '../deploy/local/data-dir.ts';
import { runningPostgres } from '../deploy/local/databases/postgres.ts';
import { findProcesses, worksIn } from '../deploy/local/processes.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Target } from './load/connection.ts';
import type { Groups } from './proc.ts';
import { PUBLIC_URL } from './public-url.ts';

export type Transport = 'local' | 'grpc';

/** The running service with its databases. Nothing else uses them. */
export interface Stack {
    gateways: Target[];
    internal_secret: string;
    /** The private key of session tokens, PKCS#8 in PEM. */
    jwtKey: string;
    databaseUrl: string;
    /** The URL for the superuser. */
    adminUrl: string;
    redisUrl: string;
    /** The log of the process that answers over HTTP; with several gateways, of the first one. */
    logFile: string;
    /** The names of the groups. local: service, postgres, redis; grpc: gateway, services, postgres, redis. */
    groups: Groups;
    stop(): Promise<void>;
}

const LAUNCHERS: Record<Transport, string> = { local: 'deploy/local/start.ts', grpc: 'deploy/local/cluster.ts' };
/** The Node flags of `npm start`. Processes that are compared with the service get the same flags. */
export const NODE_FLAGS: readonly string[] = packageJson.scripts.start.match(/--\S+/g) ?? [];
/**
 * The environment variables that the launchers need. They get no others, because a setting of the user would change
 * what is measured.
 */
const KEPT = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'];

export interface StackOptions {
    transport: Transport;
    gateways?: number;
    /** Number of processes of `npm start`. */
    processes?: number;
    nodeFlags?: readonly string[];
    settings?: Record<string, string>;
}

/** Starts the service with its own launcher and default settings, on databases in a temporary folder. */
export async function startStack(options: StackOptions): Promise<Stack> {
    const { transport, gateways = 1, processes = 1, nodeFlags = [], settings = {} } = options;
    const folder = mkdtempSync(join(tmpdir(), 'credential-bench-'));
    const dataDir = join(folder, 'data');
    const kept = Object.fromEntries(KEPT.map((name) => [name, process.env[name]]));
    const launcher = spawn(process.execPath, [...NODE_FLAGS, ...nodeFlags, LAUNCHERS[transport]], {
        stdio: ['ignore', 'pipe', 'inherit'],
        // With npm_lifecycle_event the launcher ends when this process is gone, as it does under npm.
        env: {
            ...kept,
            DATA_DIR: dataDir,
            PORT: '0',
            PUBLIC_URL,
            GATEWAYS: String(gateways),
            PROCESSES: String(processes),
            npm_lifecycle_event: 'start',
            ...settings,
        },
    });
    const stop = async (): Promise<void> => {
        if (launcher.exitCode === null && launcher.signalCode === null) {
            launcher.stdout.removeAllListeners('data').resume();
            launcher.kill('SIGTERM');
            await once(launcher, 'exit');
        }
        rmSync(folder, { recursive: true, force: true });
    };
    try {
        const output = await untilReady(launcher);
        return { ...describe({ transport, dataDir, output, launcher }), stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

async function untilReady(launcher: ChildProcess): Promise<string> {
    let output = '';
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    launcher.once('exit', () => reject(new Error(`The service did not start:\n${output}`)));
    launcher.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (/^ready /m.test(output)) resolve(output);
        if (/ ended |^Stopping/m.test(text)) console.error(text); // a process that ends by itself spoils the run
    });
    return promise;
}

function describe(options: {
    transport: Transport;
    dataDir: string;
    output: string;
    launcher: ChildProcess;
}): Omit<Stack, 'stop'> {
    const { transport, dataDir, output, launcher } = options;
    const databaseUrl = runningPostgres(dataDir);
    if (databaseUrl === undefined || launcher.pid === undefined) throw new Error('The databases are not running.');
    const admin = new URL(databaseUrl);
    Object.assign(admin, {
        username: 'postgres',
        password: keptSecret(dataDir, 'postgres-admin-password'),
        pathname: '/postgres',
    });
    const urls = transport === 'local' ? /^ready (\S+)$/gm : /^ *gateway-\d+ +(http\S+)/gm;
    return {
        gateways: Array.from(output.matchAll(urls), ([, url = '']) => targetOf(url)),
        internal_secret: keptSecret(dataDir, 'internal-secret'),
        jwtKey: readFileSync(keptSigningKey(dataDir), 'utf8'),
        databaseUrl,
        adminUrl: admin.href,
        redisUrl: redisUrl(dataDir),
        logFile: join(dataDir, transport === 'local' ? 'service.log' : 'gateway-1.log'),
        groups: groupsOf(transport, dataDir, launcher.pid),
    };
}

function targetOf(url: string): Target {
    const { hostname: host, port } = new URL(url);
    return { host, port: Number(port) };
}

function redisUrl(dataDir: string): string {
    const port = /^port (\d+)$/m.exec(readFileSync(join(dataDir, 'redis', 'redis.conf'), 'utf8'))?.[1];
    return `redis://:${keptSecret(dataDir, 'redis-password')}@127.0.0.1:${port}/0`;
}

function groupsOf(transport: Transport, dataDir: string, launcher: number): Groups {
    const [postmaster] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const redis = findProcesses(({ pid }) => worksIn(pid, join(dataDir, 'redis')));
    const databases = { postgres: [Number(postmaster)], redis };
    if (transport === 'local') return { service: [launcher, ...ownProcesses(dataDir, 'all')], ...databases };
    const gateways = ownProcesses(dataDir, 'gateway');
    const services = ownProcesses(dataDir).filter((pid) => !gateways.includes(pid));
    return { gateway: gateways, services, ...databases };
}

/** The processes that a launcher runs on this data folder: all of them, or those with this role. */
function ownProcesses(dataDir: string, role?: string): number[] {
    return findProcesses(
        ({ argv, env }) =>
            env.includes(`DATA_DIR=${dataDir}`) &&
            env.includes('EXIT_WITH_PARENT=1') &&
            (role === undefined || argv.includes(role)),
    );
}
