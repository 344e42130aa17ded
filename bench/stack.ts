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

export type Transport = 'local' | 'grpc';

/** The running service with its databases, all of it this run's own. */
export interface Stack {
    gateways: Target[];
    internal_secret: string;
    /** The private key of session tokens, PKCS#8 in PEM. */
    jwt_key: string;
    database_url: string;
    /** As the superuser. */
    admin_url: string;
    redis_url: string;
    /** Of the process that answers over HTTP; with several gateways, of the first. */
    log_file: string;
    /** local: service, postgres, redis; grpc: gateway, services, postgres, redis. */
    groups: Groups;
    stop(): Promise<void>;
}

const LAUNCHERS: Record<Transport, string> = { local: 'deploy/local/start.ts', grpc: 'deploy/local/cluster.ts' };
/** As npm start has them; what is compared with the service has them too. */
export const NODE_FLAGS: readonly string[] = packageJson.scripts.start.match(/--\S+/g) ?? [];
/** What the launchers need of the surroundings; a setting of the user's would change what is measured. */
const KEPT = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR'];

export interface StackOptions {
    transport: Transport;
    gateways?: number;
    node_flags?: readonly string[];
    settings?: Record<string, string>;
}

/** Starts the service by its own launcher with its default settings, on databases in a temporary folder. */
export async function startStack(options: StackOptions): Promise<Stack> {
    const { transport, gateways = 1, node_flags = [], settings = {} } = options;
    const folder = mkdtempSync(join(tmpdir(), 'credential-bench-'));
    const data_dir = join(folder, 'data');
    const kept = Object.fromEntries(KEPT.map((name) => [name, process.env[name]]));
    const launcher = spawn(process.execPath, [...NODE_FLAGS, ...node_flags, LAUNCHERS[transport]], {
        stdio: ['ignore', 'pipe', 'inherit'],
        // As under npm, it ends when this process is gone.
        env: {
            ...kept,
            ...settings,
            DATA_DIR: data_dir,
            PORT: '0',
            GATEWAYS: String(gateways),
            npm_lifecycle_event: 'start',
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
        return { ...describe({ transport, data_dir, output, launcher }), stop };
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
    data_dir: string;
    output: string;
    launcher: ChildProcess;
}): Omit<Stack, 'stop'> {
    const { transport, data_dir, output, launcher } = options;
    const database_url = runningPostgres(data_dir);
    if (database_url === undefined || launcher.pid === undefined) throw new Error('The databases are not there.');
    const admin = new URL(database_url);
    Object.assign(admin, {
        username: 'postgres',
        password: keptSecret(data_dir, 'postgres-admin-password'),
        pathname: '/postgres',
    });
    const urls = transport === 'local' ? /^ready (\S+)$/gm : /^ *gateway-\d+ +(http\S+)/gm;
    return {
        gateways: Array.from(output.matchAll(urls), ([, url = '']) => targetOf(url)),
        internal_secret: keptSecret(data_dir, 'internal-secret'),
        jwt_key: readFileSync(keptSigningKey(data_dir), 'utf8'),
        database_url,
        admin_url: admin.href,
        redis_url: redisUrl(data_dir),
        log_file: join(data_dir, transport === 'local' ? 'service.log' : 'gateway-1.log'),
        groups: groupsOf(transport, data_dir, launcher.pid),
    };
}

function targetOf(url: string): Target {
    const { hostname: host, port } = new URL(url);
    return { host, port: Number(port) };
}

function redisUrl(data_dir: string): string {
    const port = /^port (\d+)$/m.exec(readFileSync(join(data_dir, 'redis', 'redis.conf'), 'utf8'))?.[1];
    return `redis://:${keptSecret(data_dir, 'redis-password')}@127.0.0.1:${port}/0`;
}

function groupsOf(transport: Transport, data_dir: string, launcher: number): Groups {
    const [postmaster] = readFileSync(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const redis = findProcesses(({ pid }) => worksIn(pid, join(data_dir, 'redis')));
    const databases = { postgres: [Number(postmaster)], redis };
    if (transport === 'local') return { service: [launcher], ...databases };
    const role = (is_gateway: boolean) =>
        findProcesses(
            ({ argv, env }) =>
                env.includes(`DATA_DIR=${data_dir}`) &&
                argv.includes('gateway') === is_gateway &&
                env.includes('EXIT_WITH_PARENT=1'),
        );
    return { gateway: role(true), services: role(false), ...databases };
}
