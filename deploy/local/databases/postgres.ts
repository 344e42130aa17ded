import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { keptSecret } from '../data-dir.ts';
import { pickPort } from '../ports.ts';
import { Problem } from '../problem.ts';
import { isRunning, terminate, worksIn } from '../processes.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { adminPassword, createCluster, requireAdminPassword } from './postgres-cluster.ts';
import { bareEnvironment, openServerLog } from './run-program.ts';
import { unprivilegedAccount } from './unprivileged.ts';

export interface ServerOptions {
    dataDir: string;
    log(line: string): void;
    /** Interrupts the start. */
    signal?: AbortSignal | undefined;
    /** Further settings of the server, by their names. */
    settings?: Readonly<Record<string, string>>;
}

export interface LocalServer {
    /** The URL, with the password. */
    url: string;
    isRunning(): boolean;
    /** Ends the process. Resolves when it has ended. May be called again. */
    stop(): Promise<void>;
}

export interface LocalPostgres extends LocalServer {
    /** URL for the superuser. The service never uses it; tests create their databases with it. */
    adminUrl: string;
}

const SETTINGS = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log must not have DETAIL lines, because they contain values of rows.
    log_error_verbosity: 'terse',
};
/**
 * SIGINT is PostgreSQL's fast shutdown, which disconnects clients and rolls open transactions back. If it hangs,
 * SIGQUIT shuts down immediately, and the next start recovers from the WAL.
 */
const SHUTDOWN = { gently: 'SIGINT', timeoutMs: 30_000, firmly: 'SIGQUIT' } as const;
/** How many ports a start tries. */
const PORT_ATTEMPTS = 5;

/**
 * Starts the embedded PostgreSQL with its data in `dataDir/postgres`, and creates the role and the database
 * `credentials`. The server listens on 127.0.0.1 with a random password, because a Unix socket would need a path of at
 * most 107 bytes that both root and the unprivileged server can reach. The server has its own session, so that Ctrl-C
 * does not reach it and `stop` ends it last.
 */
export async function startPostgres({ dataDir, log, signal, settings = {} }: ServerOptions): Promise<LocalPostgres> {
    const folder = join(dataDir, 'postgres');
    const binaries = postgresBinaries();
    await stopOrphan(folder, log);
    if (existsSync(folder)) requireAdminPassword(dataDir);
    const account = existsSync(folder)
        ? await unprivilegedAccount(binaries.postgres, folder)
        : await createCluster({ binaries, dataDir, folder, signal });
    const command = [...account.prefix, binaries.postgres, '-D', folder];
    const logFile = join(dataDir, 'postgres.log');
    const { pid, port } = await launch({ command, folder, logFile, signal, settings });
    const stop = (): Promise<void> => terminate(pid, SHUTDOWN);
    try {
        const password = await ensureDatabase(dataDir, port);
        return {
            url: serviceUrl(password, port),
            adminUrl: `postgresql://postgres:${adminPassword(dataDir)}@127.0.0.1:${port}/postgres`,
            isRunning: () => isRunning(pid),
            stop,
        };
    } catch (error) {
        await stop();
        throw error;
    }
}

/**
 * Stops the PostgreSQL that a killed launcher left running, so that the settings and the program of this start apply.
 */
async function stopOrphan(folder: string, log: (line: string) => void): Promise<void> {
    const pid = Number(pidFile(folder)[0]);
    if (!worksIn(pid, folder)) return;
    log(`PostgreSQL (pid ${pid}) was left over by an earlier start: stopping it first`);
    await terminate(pid, SHUTDOWN);
}

/** The URL of the PostgreSQL that runs on this data folder; undefined if none runs. */
export function runningPostgres(dataDir: string): string | undefined {
    const folder = join(dataDir, 'postgres');
    const [pid, , , port] = pidFile(folder);
    if (!worksIn(Number(pid), folder)) return undefined;
    return serviceUrl(keptSecret(dataDir, 'postgres-password'), Number(port));
}

function serviceUrl(password: string, port: number): string {
    return `postgresql://credentials:${password}@127.0.0.1:${port}/credentials`;
}

/** The lines of postmaster.pid: the pid is the first, the port the fourth, the state the eighth. */
function pidFile(folder: string): string[] {
    try {
        return readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
    } catch {
        return [];
    }
}

async function launch(options: {
    command: string[];
    folder: string;
    logFile: string;
    signal: AbortSignal | undefined;
    settings: Readonly<Record<string, string>>;
}): Promise<{ pid: number; port: number }> {
    for (let attempt = 1; ; attempt++) {
        const port = await pickPort();
        const output = openServerLog(options.logFile);
        const all = { ...SETTINGS, ...options.settings, port };
        const settings = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        const [program = '', ...args] = [...options.command, ...settings];
        const server = spawn(program, args, {
            detached: true,
            stdio: ['ignore', output.fd, output.fd],
            env: bareEnvironment(),
        });
        server.on('error', () => undefined); // handled below: the server then has no pid
        server.unref();
        output.close();
        if (server.pid !== undefined && (await becameReady(server.pid, options))) return { pid: server.pid, port };
        const reason = output.written();
        if (attempt < PORT_ATTEMPTS && reason.includes('could not bind')) continue;
        throw new Problem(`PostgreSQL did not start:\n${reason}\n(its log: ${options.logFile})`);
    }
}

/** Waits until the server is ready. False if it ended first. No time limit: recovery after a crash may take long. */
async function becameReady(
    pid: number,
    { folder, signal }: { folder: string; signal: AbortSignal | undefined },
): Promise<boolean> {
    while (isRunning(pid)) {
        const lines = pidFile(folder);
        if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return true;
        if (signal?.aborted) {
            await terminate(pid, SHUTDOWN);
            signal.throwIfAborted();
        }
        await delay(20);
    }
    return false;
}

/** Creates the role and the database if they are missing. Returns the role's password. */
async function ensureDatabase(dataDir: string, port: number): Promise<string> {
    const admin = new pg.Client({
        host: '127.0.0.1',
        port,
        user: 'postgres',
        password: adminPassword(dataDir),
        database: 'postgres',
    });
    const password = keptSecret(dataDir, 'postgres-password');
    await admin.connect();
    try {
        const role = await admin.query("SELECT FROM pg_roles WHERE rolname = 'credentials'");
        const change = role.rowCount === 0 ? 'CREATE' : 'ALTER';
        await admin.query(`${change} ROLE credentials LOGIN PASSWORD ${admin.escapeLiteral(password)}`);
        const database = await admin.query("SELECT FROM pg_database WHERE datname = 'credentials'");
        if (database.rowCount === 0) await admin.query('CREATE DATABASE credentials OWNER credentials');
    } finally {
        await admin.end();
    }
    return password;
}
