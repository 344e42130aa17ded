import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { keptSecret } from '../data-dir.ts';
import { pickPort } from '../ports.ts';
import { Problem } from '../problem.ts';
import { findProcesses, isRunning, terminate, worksIn } from '../processes.ts';
import type { LocalServer, ServerOptions } from './postgres.ts';
import { findRedis, type RedisProgram } from './redis-program.ts';
import { bareEnvironment, openServerLog } from './run-program.ts';

/** On SIGTERM Redis writes the append-only file. If it cannot (full disk), it does not end and needs SIGKILL. */
const SHUTDOWN = { gently: 'SIGTERM', timeoutMs: 10_000, firmly: 'SIGKILL' } as const;
/** How many ports a start tries. */
const PORT_ATTEMPTS = 5;

/**
 * Starts a Redis (or Valkey) on 127.0.0.1 with a random password. It stores its data in `dataDir/redis` and evicts no
 * keys. Like PostgreSQL it has its own session, and `stop` ends it.
 */
export async function startRedis({ dataDir, log, signal, settings = {} }: ServerOptions): Promise<LocalServer> {
    const folder = join(dataDir, 'redis');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await stopOrphans(folder, log);
    const program = await findRedis({ dataDir, log, signal });
    const password = keptSecret(dataDir, 'redis-password');
    const logFile = join(dataDir, 'redis.log');
    for (let attempt = 1; ; attempt++) {
        const port = await pickPort();
        writeFileSync(join(folder, 'redis.conf'), configuration(port, password, settings), { mode: 0o600 });
        const output = openServerLog(logFile);
        const pid = await launch(program, folder, output.fd).finally(output.close);
        const url = `redis://:${password}@127.0.0.1:${port}/0`;
        if (await becameReady(pid, url, signal)) {
            return { url, isRunning: () => isRunning(pid), stop: () => terminate(pid, SHUTDOWN) };
        }
        const reason = output.written();
        if (attempt < PORT_ATTEMPTS && reason.includes('Address already in use')) continue;
        throw new Problem(`Redis did not start:\n${reason}\n(its log: ${logFile})`);
    }
}

/**
 * Stops the Redis that a killed launcher left running, because two would destroy the append-only file that they share.
 */
async function stopOrphans(folder: string, log: (line: string) => void): Promise<void> {
    const orphans = findProcesses(({ pid, argv }) => /redis|valkey/.test(argv.join(' ')) && worksIn(pid, folder));
    for (const pid of orphans) {
        log(`Redis (pid ${pid}) was left over by an earlier start: stopping it first`);
        await terminate(pid, SHUTDOWN);
    }
}

function configuration(port: number, password: string, more: Readonly<Record<string, string>>): string {
    const settings = {
        bind: '127.0.0.1',
        port,
        requirepass: password,
        dir: '.',
        appendonly: 'yes',
        appendfsync: 'everysec',
        save: '""',
        'maxmemory-policy': 'noeviction',
        ...more,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
    return lines.join('');
}

async function launch(program: RedisProgram, folder: string, output: number): Promise<number> {
    const [path = '', ...args] = program.command;
    const server = spawn(path, [...args, 'redis.conf'], {
        cwd: folder,
        detached: true,
        stdio: ['ignore', output, output],
        env: bareEnvironment(program.env),
    });
    server.unref();
    try {
        await once(server, 'spawn');
        return Number(server.pid);
    } catch (error) {
        throw new Problem(`Redis did not start: ${(error as Error).message}`); // spawn fails with system errors only
    }
}

/**
 * Waits until the server is ready. False if it ended first. No time limit: loading the append-only file may take long.
 */
async function becameReady(pid: number, url: string, signal: AbortSignal | undefined): Promise<boolean> {
    const client = new Redis(url, { retryStrategy: () => 25, maxRetriesPerRequest: null });
    let ready = false;
    client.once('ready', () => {
        ready = true;
    });
    client.on('error', () => undefined); // connections are refused until the server listens
    try {
        while (!ready && isRunning(pid)) {
            if (signal?.aborted) {
                await terminate(pid, SHUTDOWN);
                signal.throwIfAborted();
            }
            await delay(20);
        }
        return ready;
    } finally {
        client.disconnect();
    }
}
