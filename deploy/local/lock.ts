import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from './problem.ts';
import { isRunning } from './processes.ts';

/** How long a start waits for another start that is stopping, in milliseconds: longer than a full drain. */
const TIMEOUT_MS = 60_000;
/** How often a waiting start tries to take the lock, in milliseconds. */
const POLL_MS = 50;

interface Holder {
    pid: number;
    state: 'running' | 'stopping';
}

interface DataDirLock {
    /** Records that this launcher is stopping, so that the next start waits for it. */
    stopping(): void;
    release(): Promise<void>;
}

/**
 * Ensures that only one launcher at a time uses a data folder. The lock is a listening socket in Linux's abstract
 * namespace, named after the folder's inode. The kernel removes the socket when its process ends, for any reason. So no
 * lock is ever stale, and no process with a reused pid can be mistaken for the holder. `launcher.json` only states
 * which process holds the lock. Throws Problem if another launcher runs.
 */
export async function lockDataDir(dataDir: string, signal?: AbortSignal): Promise<DataDirLock> {
    const { dev, ino } = statSync(dataDir);
    const file = join(dataDir, 'launcher.json');
    const declare = (state: Holder['state']): void => {
        writeFileSync(file, `${JSON.stringify({ pid: process.pid, state } satisfies Holder)}\n`);
    };
    const server = await hold(`\0credential-service:${dev}:${ino}`, dataDir, () => read(file), signal);
    declare('running');
    return {
        stopping: () => declare('stopping'),
        release: async () => {
            rmSync(file, { force: true });
            server.close();
        },
    };
}

async function hold(
    path: string,
    dataDir: string,
    holder: () => Holder | undefined,
    signal: AbortSignal | undefined,
): Promise<Server> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
        const server = createServer((socket) => socket.destroy()).unref();
        try {
            server.listen({ path });
            await once(server, 'listening');
            return server;
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error; // listen() throws system errors
        }
        const other = holder();
        if ((other?.state === 'running' && isRunning(other.pid)) || performance.now() > deadline) {
            throw new Problem(
                `${dataDir} is in use by another start, pid ${other?.pid}. ` +
                    `Stop that one (kill ${other?.pid}), or set DATA_DIR and PORT to run a second one beside it.`,
            );
        }
        await delay(POLL_MS, undefined, signal === undefined ? {} : { signal });
    }
}

function read(file: string): Holder | undefined {
    try {
        return JSON.parse(readFileSync(file, 'utf8')) as Holder; // only declare() writes it
    } catch {
        return undefined;
    }
}
