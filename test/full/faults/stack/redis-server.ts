import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { RedisProgram } from '../../../../deploy/local/databases/redis-program.ts';
import { bareEnvironment, openServerLog } from '../../../../deploy/local/databases/run-program.ts';
import { pickPort } from '../../../../deploy/local/ports.ts';
import { isRunning, waitUntilGone } from '../../../../deploy/local/processes.ts';
import { processesIn, signalAll, until } from './proc.ts';

/** Longest time for a start, in milliseconds. */
const START_MS = 30_000;
export const REDIS_PASSWORD = 'redis-password-of-the-faults';

export interface RedisServer {
    port: number;
    folder: string;
    logFile: string;
    pids(): number[];
    /** Starts the server on its port. Resolves when it answers. */
    start(): Promise<void>;
    end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
    /** Deletes the data that the server keeps on disk. It must be stopped. */
    forget(): void;
    /** Runs one command on a new connection. */
    command(...words: [string, ...Array<string | number>]): Promise<unknown>;
}

/** Prepares a Redis in a new `folder`. `settings` replace defaultSettings(). */
export async function redisServer(options: {
    program: RedisProgram;
    folder: string;
    /** Further arguments, such as `--sentinel`. */
    args?: readonly string[];
    settings?: ReadonlyArray<readonly [name: string, value: string | number]>;
}): Promise<RedisServer> {
    const { program, folder, args = [], settings = defaultSettings() } = options;
    mkdirSync(folder, { recursive: true });
    const port = await pickPort();
    const lines = [['bind', '127.0.0.1'], ['port', port], ...settings].map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(join(folder, 'redis.conf'), lines.join(''));
    const logFile = `${folder}.log`;
    const password = args.length > 0 ? undefined : REDIS_PASSWORD;
    const command: RedisServer['command'] = (...words) => runCommand(port, password, words);

    return {
        port,
        folder,
        logFile,
        pids: () => processesIn(folder),
        command,
        async start() {
            const { pid, written } = spawnServer({ program, folder, args, logFile });
            await until('Redis answers', START_MS, () => {
                if (!isRunning(pid)) throw new Error(`Redis ended while it started:\n${written()}`);
                return command('PING').then(
                    () => true,
                    () => false,
                );
            });
        },
        async end(signal) {
            const pids = processesIn(folder);
            signalAll(pids, signal);
            for (const pid of pids) {
                if (!(await waitUntilGone(pid, 10_000))) signalAll([pid], 'SIGKILL'); // a full disk keeps it from ending
            }
        },
        forget: () => rmSync(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    };
}

/** Starts the program in `folder`. Returns its pid, and a function that returns what it has written to `logFile`. */
function spawnServer(options: { program: RedisProgram; folder: string; args: readonly string[]; logFile: string }): {
    pid: number;
    written(): string;
} {
    const { program, folder, args, logFile } = options;
    const output = openServerLog(logFile);
    const [path = '', ...rest] = program.command;
    const child = spawn(path, [...rest, 'redis.conf', ...args], {
        cwd: folder,
        stdio: ['ignore', output.fd, output.fd],
        env: bareEnvironment(program.env),
    });
    child.on('error', () => {}); // the wait for its answer notices it
    output.close();
    return { pid: child.pid ?? 0, written: output.written };
}

/** Runs one command on a new connection. */
async function runCommand(
    port: number,
    password: string | undefined,
    [name, ...words]: [string, ...Array<string | number>],
): Promise<unknown> {
    const login = password === undefined ? {} : { password };
    const redis = new Redis({ host: '127.0.0.1', port, ...login, retryStrategy: () => null });
    redis.on('error', () => {}); // the command below is rejected
    try {
        return await redis.call(name, words);
    } finally {
        redis.disconnect();
    }
}

export function defaultSettings(): Array<[name: string, value: string | number]> {
    return [
        ['requirepass', REDIS_PASSWORD],
        ['masterauth', REDIS_PASSWORD],
        ['appendonly', 'yes'],
        ['appendfsync', 'everysec'],
        ['save', '""'],
        ['maxmemory-policy', 'noeviction'],
    ];
}
