import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { RedisProgram } from '../../../deploy/local/databases/redis-program.ts';
import { bareEnvironment, openServerLog } from '../../../deploy/local/databases/run-program.ts';
import { pickPort } from '../../../deploy/local/ports.ts';
import { isRunning, waitUntilGone } from '../../../deploy/local/processes.ts';
import { processesIn, signalAll, until } from './proc.ts';

/** How long a start may take, in milliseconds. */
const START_MS = 30_000;
export const REDIS_PASSWORD = 'redis-password-of-the-faults';

export interface RedisServer {
    port: number;
    folder: string;
    logFile: string;
    pids(): number[];
    /** Starts it on the same port, and resolves when it answers. */
    start(): Promise<void>;
    end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
    /** Forgets everything that it keeps on disk; only while it is stopped. */
    forget(): void;
    /** One command on a connection of its own. */
    command(...words: [string, ...Array<string | number>]): Promise<unknown>;
}

/** A Redis of a scenario's own in a new `folder`; `settings` come on top of those of the service's own Redis. */
export async function redisServer(options: {
    program: RedisProgram;
    folder: string;
    /** As `--sentinel`. */
    args?: readonly string[];
    settings?: ReadonlyArray<readonly [name: string, value: string | number]>;
}): Promise<RedisServer> {
    const { program, folder, args = [], settings = defaultSettings() } = options;
    mkdirSync(folder, { recursive: true });
    const port = await pickPort();
    const lines = [['bind', '127.0.0.1'], ['port', port], ...settings].map(([name, value]) => `${name} ${value}\n`);
    writeFileSync(join(folder, 'redis.conf'), lines.join(''));
    const logFile = `${folder}.log`;
    let child: ChildProcess | undefined;

    async function command(...[name, ...words]: [string, ...Array<string | number>]): Promise<unknown> {
        const password = args.length > 0 ? {} : { password: REDIS_PASSWORD };
        const redis = new Redis({ host: '127.0.0.1', port, ...password, retryStrategy: () => null });
        redis.on('error', () => {}); // the command below is rejected
        try {
            return await redis.call(name, words);
        } finally {
            redis.disconnect();
        }
    }

    return {
        port,
        folder,
        logFile,
        pids: () => processesIn(folder),
        command,
        async start() {
            const output = openServerLog(logFile);
            const [path = '', ...rest] = program.command;
            child = spawn(path, [...rest, 'redis.conf', ...args], {
                cwd: folder,
                stdio: ['ignore', output.fd, output.fd],
                env: bareEnvironment(program.env),
            });
            child.on('error', () => {}); // the wait below sees it
            output.close();
            const pid = child.pid ?? 0;
            await until('Redis answers', START_MS, () => {
                if (!isRunning(pid)) throw new Error(`Redis ended while it started:\n${output.written()}`);
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
