import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { bareEnvironment, openServerLog } from '../../deploy/local/databases/run-program.ts';
import { unprivilegedAccount } from '../../deploy/local/databases/unprivileged.ts';
import { pickPort } from '../../deploy/local/ports.ts';

const given = process.env['PGBOUNCER_PATH'];
if (given) accessSync(given); // a wrong path must fail, and not skip the tests

/** By default the path of Debian's package. */
const PROGRAM = given || '/usr/sbin/pgbouncer';

/** Why tests that need pgbouncer are skipped; false if they run. */
export const skip = existsSync(PROGRAM) ? false : `no pgbouncer: neither PGBOUNCER_PATH nor ${PROGRAM}`;

/**
 * Far fewer than the service opens, so that state that one client leaves on a connection would reach another client.
 */
const SERVER_CONNECTIONS = 6;

/** How long a start may take, in milliseconds. */
const START_MS = 20_000;

interface Pooler {
    /** The URL of the database, with pgbouncer's port. pgbouncer serves every database of the server. */
    url: string;
    stop(): Promise<void>;
}

/** Starts a pgbouncer in front of `databaseUrl`, in transaction mode. */
export async function startPgbouncer({ databaseUrl, dir }: { databaseUrl: string; dir: string }): Promise<Pooler> {
    const behind = new URL(databaseUrl);
    const folder = join(dir, 'pgbouncer');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const port = await pickPort();
    writeFileSync(join(folder, 'users.txt'), `"${behind.username}" "${decodeURIComponent(behind.password)}"\n`);
    writeFileSync(join(folder, 'pgbouncer.ini'), configuration(behind, port));
    const account = await unprivilegedAccount(PROGRAM, folder); // pgbouncer refuses to run as root
    const output = openServerLog(join(dir, 'pgbouncer.log'));
    const [program = '', ...args] = [...account.prefix, PROGRAM, 'pgbouncer.ini'];
    const child = spawn(program, args, {
        cwd: folder,
        stdio: ['ignore', output.fd, output.fd],
        env: bareEnvironment(),
    });
    output.close();
    const url = Object.assign(new URL(databaseUrl), { port: String(port) }).href;
    const stop = async (): Promise<void> => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'exit');
    };
    const giveUp = performance.now() + START_MS;
    while (!(await answers(url))) {
        if (child.exitCode === null && performance.now() < giveUp) {
            await delay(50);
            continue;
        }
        await stop();
        throw new Error(`pgbouncer did not start:\n${output.written()}`);
    }
    return { url, stop };
}

function configuration({ hostname, port: behindPort }: URL, port: number): string {
    return `[databases]
* = host=${hostname} port=${behindPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = users.txt
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 500
log_connections = 0
log_disconnections = 0
`;
}

async function answers(url: string): Promise<boolean> {
    const client = new Client({ connectionString: url });
    client.on('error', () => {}); // the catch below handles it
    try {
        await client.connect();
        await client.query('SELECT 1');
        return true;
    } catch {
        return false;
    } finally {
        await client.end().catch(() => {});
    }
}
