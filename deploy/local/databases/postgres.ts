import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { keptSecret } from '../data-dir.ts';
import { pickPort } from '../ports.ts';
import { Problem } from '../problem.ts';
import { isRunning, terminate, worksIn } from '../processes.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { bareEnvironment, openServerLog, runProgram } from './run-program.ts';
import { type Account, giveTo, unprivilegedAccount } from './unprivileged.ts';

export interface ServerOptions {
    data_dir: string;
    log(line: string): void;
    /** Interrupts the start. */
    signal?: AbortSignal | undefined;
}

export interface LocalServer {
    /** The address with the password. */
    url: string;
    isRunning(): boolean;
    /** Resolves when the process has ended. May be called again. */
    stop(): Promise<void>;
}

export interface LocalPostgres extends LocalServer {
    /** URL for the superuser. The service never uses it; tests create their databases with it. */
    admin_url: string;
}

const SETTINGS = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Without the DETAIL lines, which repeat values of rows.
    log_error_verbosity: 'terse',
};
/**
 * Fast: clients are disconnected and open transactions rolled back. If that hangs, immediate: the next start recovers
 * from the WAL.
 */
const SHUTDOWN = { gently: 'SIGINT', patience_ms: 30_000, firmly: 'SIGQUIT' } as const;
const PORT_ATTEMPTS = 5;

/**
 * Starts the embedded PostgreSQL with its data in `data_dir/postgres`, and creates the role and the database
 * `credentials`. It listens on 127.0.0.1 with a random password, because a Unix socket would need a path of at most 107
 * bytes that both root and the unprivileged server can reach. It has its own session, so that Ctrl-C ends it last,
 * through `stop`.
 */
export async function startPostgres({ data_dir, log, signal }: ServerOptions): Promise<LocalPostgres> {
    const folder = join(data_dir, 'postgres');
    const binaries = postgresBinaries();
    await stopOrphan(folder, log);
    const account = existsSync(folder)
        ? await unprivilegedAccount(binaries.postgres, folder)
        : await createCluster({ binaries, data_dir, folder, signal });
    const command = [...account.prefix, binaries.postgres, '-D', folder];
    const { pid, port } = await launch({ command, folder, log_file: join(data_dir, 'postgres.log'), signal });
    const stop = (): Promise<void> => terminate(pid, SHUTDOWN);
    try {
        const password = await ensureDatabase(data_dir, port);
        return {
            url: serviceUrl(password, port),
            admin_url: `postgresql://postgres:${adminPassword(data_dir)}@127.0.0.1:${port}/postgres`,
            isRunning: () => isRunning(pid),
            stop,
        };
    } catch (error) {
        await stop();
        throw error;
    }
}

/**
 * A killed launcher leaves its PostgreSQL running. It is stopped, so that the settings and program of this start apply.
 */
async function stopOrphan(folder: string, log: (line: string) => void): Promise<void> {
    const pid = Number(pidFile(folder)[0]);
    if (!worksIn(pid, folder)) return;
    log(`PostgreSQL (pid ${pid}) was left over by an earlier start: stopping it first`);
    await terminate(pid, SHUTDOWN);
}

/** The address of the PostgreSQL that uses this data folder; undefined if there is none. */
export function runningPostgres(data_dir: string): string | undefined {
    const folder = join(data_dir, 'postgres');
    const [pid, , , port] = pidFile(folder);
    if (!worksIn(Number(pid), folder)) return undefined;
    return serviceUrl(keptSecret(data_dir, 'postgres-password'), Number(port));
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

/** Built under another name and renamed when complete, so that an interrupted initdb is simply repeated. */
async function createCluster(options: {
    binaries: PostgresBinaries;
    data_dir: string;
    folder: string;
    signal: AbortSignal | undefined;
}): Promise<Account> {
    const { binaries, data_dir, folder, signal } = options;
    const building = `${folder}.new`;
    const password_file = `${folder}.password`;
    rmSync(building, { recursive: true, force: true });
    mkdirSync(building, { mode: 0o700 });
    const account = await unprivilegedAccount(binaries.postgres, building);
    try {
        writeFileSync(password_file, adminPassword(data_dir), { mode: 0o600 });
        await giveTo(account, password_file);
        const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--no-locale', '--no-instructions'];
        await runProgram(
            [
                ...account.prefix,
                binaries.initdb,
                '-D',
                building,
                '-U',
                'postgres',
                `--pwfile=${password_file}`,
                ...flags,
            ],
            { env: bareEnvironment(), timeout_ms: 120_000, signal },
        );
    } finally {
        rmSync(password_file, { force: true });
    }
    renameSync(building, folder);
    return account;
}

async function launch(options: {
    command: string[];
    folder: string;
    log_file: string;
    signal: AbortSignal | undefined;
}): Promise<{ pid: number; port: number }> {
    for (let attempt = 1; ; attempt++) {
        const port = await pickPort();
        const output = openServerLog(options.log_file);
        const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        const [program = '', ...args] = [...options.command, ...settings];
        const server = spawn(program, args, {
            detached: true,
            stdio: ['ignore', output.fd, output.fd],
            env: bareEnvironment(),
        });
        server.on('error', () => undefined); // seen below: it has no pid
        server.unref();
        output.close();
        if (server.pid !== undefined && (await becameReady(server.pid, options))) return { pid: server.pid, port };
        const reason = output.written();
        if (attempt < PORT_ATTEMPTS && reason.includes('could not bind')) continue;
        throw new Problem(`PostgreSQL did not start:\n${reason}\n(its log: ${options.log_file})`);
    }
}

/** False if the server ended first. There is no time limit: after a crash it may have much to recover. */
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
async function ensureDatabase(data_dir: string, port: number): Promise<string> {
    const admin = new pg.Client({
        host: '127.0.0.1',
        port,
        user: 'postgres',
        password: adminPassword(data_dir),
        database: 'postgres',
    });
    const password = keptSecret(data_dir, 'postgres-password');
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

function adminPassword(data_dir: string): string {
    return keptSecret(data_dir, 'postgres-admin-password');
}
