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
if (given) accessSync(given); // who names one wants it used

/** Where Debian's package puts it. */
const PROGRAM = given || '/usr/sbin/pgbouncer';

/** Why tests that need pgbouncer are skipped, if they are. */
export const skip = existsSync(PROGRAM) ? false : `no pgbouncer: neither PGBOUNCER_PATH nor ${PROGRAM}`;

/** Far fewer than the service opens: what one transaction left on a connection, another client's would find. */
const SERVER_CONNECTIONS = 6;

/** How long a start may take, in milliseconds. */
const START_MS = 20_000;

export interface Pooler {
    /** As the URL of the database behind it; it serves every database there. */
    url: string;
    stop(): Promise<void>;
}

/** A pgbouncer of the test's own before `database_url`, that gives out connections for one transaction at a time. */
export async function startPgbouncer({ database_url, dir }: { database_url: string; dir: string }): Promise<Pooler> {
    const behind = new URL(database_url);
    const folder = join(dir, 'pgbouncer');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const port = await pickPort();
    writeFileSync(join(folder, 'users.txt'), `"${behind.username}" "${decodeURIComponent(behind.password)}"\n`);
    writeFileSync(join(folder, 'pgbouncer.ini'), configuration(behind, port));
    const account = await unprivilegedAccount(PROGRAM, folder); // it refuses to run as root
    const output = openServerLog(join(dir, 'pgbouncer.log'));
    const [program = '', ...args] = [...account.prefix, PROGRAM, 'pgbouncer.ini'];
    const child = spawn(program, args, {
        cwd: folder,
        stdio: ['ignore', output.fd, output.fd],
        env: bareEnvironment(),
    });
    output.close();
    const url = Object.assign(new URL(database_url), { port: String(port) }).href;
    const stop = async (): Promise<void> => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'exit');
    };
    const give_up = performance.now() + START_MS;
    while (!(await answers(url))) {
        if (child.exitCode === null && performance.now() < give_up) {
            await delay(50);
            continue;
        }
        await stop();
        throw new Error(`pgbouncer did not start:\n${output.written()}`);
    }
    return { url, stop };
}

function configuration({ hostname, port: behind_port }: URL, port: number): string {
    return `[databases]
* = host=${hostname} port=${behind_port}
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
    client.on('error', () => {}); // seen below
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
