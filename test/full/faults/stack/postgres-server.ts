import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { keptSecret } from '../../../../deploy/local/data-dir.ts';
import { startPostgres } from '../../../../deploy/local/databases/postgres.ts';
import { postgresBinaries } from '../../../../deploy/local/databases/postgres-binaries.ts';
import { bareEnvironment, openServerLog, runProgram } from '../../../../deploy/local/databases/run-program.ts';
import { unprivilegedAccount } from '../../../../deploy/local/databases/unprivileged.ts';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { isRunning } from '../../../../deploy/local/processes.ts';
import { processesIn, signalAll, until } from './proc.ts';

/** Longest time for a start or a stop, with recovery, in milliseconds. */
const START_MS = 60_000;
const SETTINGS = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '64MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_error_verbosity: 'terse',
};

export interface PostgresServer {
    port: number;
    folder: string;
    logFile: string;
    /** Pid of the postmaster, or 0 before the first start. */
    pid(): number;
    /** Pids of the postmaster and its children. */
    pids(): number[];
    /** Starts the server on its port. Resolves when it accepts connections. */
    start(): Promise<void>;
    /** Sends a signal to the postmaster. Resolves when it and all its children have ended. */
    end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
    /** Runs statements as the superuser, on a new connection. Returns the rows of the last statement. */
    admin(statements: string, database?: string): Promise<Array<Record<string, unknown>>>;
    /** Adds lines to postgresql.conf, for the next start. */
    configure(lines: string): void;
    /** Makes the server a standby, from its next start to its promotion. */
    signalStandby(): void;
}

/** Creates a data folder with the service's role and database. The servers of the scenarios start on copies of it. */
export async function makeTemplate(dataDir: string): Promise<void> {
    const server = await startPostgres({ dataDir, log: () => {} });
    await server.stop();
}

/** Prepares a server on `folder`. If the folder is missing, copies it from `template`, the folder of makeTemplate(). */
export async function postgresServer(options: { template: string; folder: string }): Promise<PostgresServer> {
    const { template, folder } = options;
    mkdirSync(dirname(folder), { recursive: true });
    if (!existsSync(folder)) await copyFolder(join(template, 'postgres'), folder);
    const { postgres } = postgresBinaries();
    const account = await unprivilegedAccount(postgres, folder);
    const port = await pickPort();
    const logFile = `${folder}.log`;
    const password = keptSecret(template, 'postgres-admin-password');
    let pid = 0;
    let exited: Promise<unknown> = Promise.resolve();

    async function start(): Promise<void> {
        const output = openServerLog(logFile);
        const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        const [program = '', ...args] = [...account.prefix, postgres, '-D', folder, ...settings];
        const server = spawn(program, args, { stdio: ['ignore', output.fd, output.fd], env: bareEnvironment() });
        output.close();
        server.on('error', () => {}); // the wait below notices it
        exited = new Promise((resolve) => server.once('close', resolve));
        pid = server.pid ?? 0;
        await until('PostgreSQL accepts connections', START_MS, () => {
            if (!isRunning(pid)) throw new Error(`PostgreSQL ended while it started:\n${output.written()}`);
            return ['ready', 'standby'].includes(stateIn(folder, pid));
        });
    }

    return {
        port,
        folder,
        logFile,
        pid: () => pid,
        pids: () => processesIn(folder),
        start,
        async end(signal) {
            signalAll([pid], signal);
            await until('PostgreSQL has ended', START_MS, () => processesIn(folder).length === 0);
            await exited; // until then the next start sees its process, as a zombie, and refuses
        },
        async admin(statements, database = 'credentials') {
            const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password, database });
            client.on('error', () => {}); // the query below is rejected
            await client.connect();
            const answer = await client.query(statements).finally(() => client.end());
            return [answer].flat().at(-1)?.rows ?? [];
        },
        configure: (lines) => appendFileSync(join(folder, 'postgresql.conf'), `\n${lines}\n`),
        signalStandby: () => writeFileSync(join(folder, 'standby.signal'), '', { mode: 0o644 }),
    };
}

/** Prepares a server on a copy of a stopped server's data, for a standby. */
export async function copyServer(server: PostgresServer, template: string, folder: string): Promise<PostgresServer> {
    await copyFolder(server.folder, folder);
    return postgresServer({ template, folder });
}

/** Returns the DATABASE_URL of the service's role for a server or proxy on `port`. */
export function serviceUrl(template: string, port: number): string {
    return `postgresql://credentials:${keptSecret(template, 'postgres-password')}@127.0.0.1:${port}/credentials`;
}

/** Returns the configuration line with which a standby replicates from `server`. */
export function primaryConnection(template: string, server: PostgresServer): string {
    const password = keptSecret(template, 'postgres-admin-password');
    const text = `host=127.0.0.1 port=${server.port} user=postgres password=${password} application_name=standby`;
    return `primary_conninfo = '${text}'`;
}

async function copyFolder(from: string, to: string): Promise<void> {
    if (process.getuid?.() === 0) await runProgram(['cp', '-a', from, to], { timeout_ms: 120_000 });
    else cpSync(from, to, { recursive: true });
}

/** Returns the state in the eighth line of postmaster.pid, or '' if there is no such file of this process. */
function stateIn(folder: string, pid: number): string {
    try {
        const lines = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
        return Number(lines[0]) === pid ? (lines[7]?.trim() ?? '') : '';
    } catch {
        return '';
    }
}
