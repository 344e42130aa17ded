import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Redis } from 'ioredis';
import { findRedis, type RedisProgram } from '../../../deploy/local/databases/redis-program.ts';
import { bareEnvironment } from '../../../deploy/local/databases/run-program.ts';
import { pickPort } from '../../../deploy/local/ports.ts';
import { authority } from '../certificates.ts';

export interface RedisNode {
    port: number;
    password: string;
    /** A direct connection to this node. */
    redis: Redis;
    /** Kills the node and starts it again at the same address. It loses all data except its configuration. */
    restart(): Promise<void>;
    kill(): Promise<void>;
    /** Stops the process: it keeps its connections but answers nothing until `resume`. */
    suspend(): void;
    resume(): void;
    stop(): Promise<void>;
}

type Settings = Record<string, string | number>;

/**
 * Starts Redis servers that keep no data on disk, each in its own folder. `close` removes the folders. With `tls` they
 * speak TLS only, also among each other, and this process trusts their certificate authority from now on.
 */
export async function redisServers({ tls = false } = {}) {
    const dir = mkdtempSync(join(tmpdir(), 'redis-nodes-'));
    const shared = tls ? certified(dir) : {};
    const program = await findRedis({ dataDir: dir, log: () => {} });
    let started = 0;
    return {
        start: (settings: Settings & { requirepass: string }): Promise<RedisNode> =>
            startNode(program, { folder: join(dir, String(started++)), settings: { ...shared, ...settings } }),
        startSentinel: (settings: Settings & { requirepass: string }, lines: readonly string[]): Promise<RedisNode> =>
            startNode(program, {
                folder: join(dir, String(started++)),
                settings: { ...shared, ...settings },
                lines,
                flags: ['--sentinel'],
            }),
        close: () => rmSync(dir, { recursive: true, force: true }),
    };
}

/** Writes a certificate of a new authority to the folder. Returns the settings of a node with it. */
function certified(dir: string): Settings {
    const ca = authority(dir); // a name of its own: among authorities of one name, OpenSSL takes any for the issuer
    const { cert, key } = ca.certify('a node');
    const files = { 'tls-ca-cert-file': ca.cert, 'tls-cert-file': cert, 'tls-key-file': key };
    setDefaultCACertificates([...getCACertificates(), ca.cert]);
    const paths = Object.entries(files).map(([name, text]) => {
        writeFileSync(join(dir, name), text);
        return [name, join(dir, name)];
    });
    return { ...Object.fromEntries(paths), 'tls-auth-clients': 'no', 'tls-replication': 'yes', 'tls-cluster': 'yes' };
}

async function startNode(
    program: RedisProgram,
    options: { folder: string; settings: Settings; lines?: readonly string[]; flags?: readonly string[] },
): Promise<RedisNode> {
    const { folder, settings, lines = [], flags = [] } = options;
    mkdirSync(folder);
    const port = await pickPort();
    const password = String(settings['requirepass']);
    const tls = 'tls-cert-file' in settings;
    const ports = tls ? { port: 0, 'tls-port': port } : { port };
    const all = Object.entries({ bind: '127.0.0.1', ...ports, ...settings, requirepass: `"${password}"` });
    writeFileSync(
        join(folder, 'redis.conf'),
        [...all.map(([name, value]) => `${name} ${value}`), ...lines, ''].join('\n'),
    );
    const launch = () => launchIn(program, folder, flags);
    let child = launch();
    const kill = () => killed(child);
    const redis = new Redis({
        host: '127.0.0.1',
        port,
        password,
        maxRetriesPerRequest: null,
        ...(tls && { tls: {} }),
    });
    redis.on('error', () => {}); // connections are refused until the node listens
    return {
        port,
        password,
        redis,
        async restart() {
            await kill();
            child = launch();
        },
        kill,
        suspend: () => void child.kill('SIGSTOP'),
        resume: () => void child.kill('SIGCONT'),
        async stop() {
            redis.disconnect();
            await kill();
        },
    };
}

function launchIn(program: RedisProgram, folder: string, flags: readonly string[]): ChildProcess {
    const [path = '', ...args] = program.command;
    const env = bareEnvironment(program.env);
    return spawn(path, [...args, 'redis.conf', ...flags], { cwd: folder, stdio: 'ignore', env });
}

async function killed(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
}
