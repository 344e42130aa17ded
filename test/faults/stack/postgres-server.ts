import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { keptSecret } from '../../../deploy/local/data-dir.ts';
import { startPostgres } from '../../../deploy/local/databases/postgres.ts';
import { postgresBinaries } from '../../../deploy/local/databases/postgres-binaries.ts';
import { bareEnvironment, openServerLog, runProgram } from '../../../deploy/local/databases/run-program.ts';
import { unprivilegedAccount } from '../../../deploy/local/databases/unprivileged.ts';
import { pickPort } from '../../../deploy/local/ports.ts';
import { isRunning } from '../../../deploy/local/processes.ts';
import { processesIn, signalAll, until } from './proc.ts';

/** How long a start may take, recovery included, in milliseconds. */
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
    /** Of the postmaster; 0 before the first start. */
    pid(): number;
    /** Of the postmaster and its children. */
    pids(): number[];
    /** Starts it on the same port, and resolves when it takes connections. */
    start(): Promise<void>;
    /** Sends a signal to the postmaster and resolves when it is gone with all its children. */
    end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
    /** Runs statements as the superuser, one connection for each call; gives the rows of the last one. */
    admin(statements: string, database?: string): Promise<Array<Record<string, unknown>>>;
    /** Adds lines to postgresql.conf, for the next start. */
    configure(lines: string): void;
    /** Makes it a standby, from the next start to its promotion. */
    signalStandby(): void;
}

/** Makes a data folder with the service's role and database once; the servers of the scenarios start on copies of it. */
export async function makeTemplate(dataDir: string): Promise<void> {
    const server = await startPostgres({ data_dir: dataDir, log: () => {} });
    await server.stop();
}

/** A PostgreSQL of a scenario's own on `folder`, which must be new; `template` is what `makeTemplate` was given. */
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

    async function start(): Promise<void> {
        const output = openServerLog(logFile);
        const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        const [program = '', ...args] = [...account.prefix, postgres, '-D', folder, ...settings];
        const server = spawn(program, args, { stdio: ['ignore', output.fd, output.fd], env: bareEnvironment() });
        output.close();
        server.on('error', () => {}); // the wait below sees it
        pid = server.pid ?? 0;
        await until('PostgreSQL takes connections', START_MS, () => {
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
            await until('PostgreSQL is gone', START_MS, () => processesIn(folder).length === 0);
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

/** A copy of a stopped server's data, for a standby. */
export async function copyServer(server: PostgresServer, template: string, folder: string): Promise<PostgresServer> {
    await copyFolder(server.folder, folder);
    return postgresServer({ template, folder });
}

/** Where the service's role connects through `port`. */
export function serviceUrl(template: string, port: number): string {
    return `postgresql://credentials:${keptSecret(template, 'postgres-password')}@127.0.0.1:${port}/credentials`;
}

/** The line of a standby's configuration that lets it replicate from `server`. */
export function primaryConnection(template: string, server: PostgresServer): string {
    const password = keptSecret(template, 'postgres-admin-password');
    const text = `host=127.0.0.1 port=${server.port} user=postgres password=${password} application_name=standby`;
    return `primary_conninfo = '${text}'`;
}

async function copyFolder(from: string, to: string): Promise<void> {
    if (process.getuid?.() === 0) await runProgram(['cp', '-a', from, to], { timeout_ms: 120_000 });
    else cpSync(from, to, { recursive: true });
}

/** The eighth line of postmaster.pid, where that is this server's. */
function stateIn(folder: string, pid: number): string {
    try {
        const lines = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
        return Number(lines[0]) === pid ? (lines[7]?.trim() ?? '') : '';
    } catch {
        return '';
    }
}
