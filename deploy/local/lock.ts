import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from './problem.ts';
import { isRunning } from './processes.ts';

/** How long a start waits for one that is stopping, in milliseconds: longer than a full drain. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;

interface Holder {
    pid: number;
    state: 'running' | 'stopping';
}

export interface DataDirLock {
    /** Tells the next start that it should wait. */
    stopping(): void;
    release(): Promise<void>;
}

/**
 * Ensures that one launcher at a time uses a data folder. The lock is a listening socket in Linux's abstract namespace,
 * named after the folder's inode. The kernel drops it with its process, however that ends, so no lock is ever stale,
 * and no process with a reused pid can be mistaken for the holder. `launcher.json` only tells who holds it.
 */
export async function lockDataDir(data_dir: string, signal?: AbortSignal): Promise<DataDirLock> {
    const { dev, ino } = statSync(data_dir);
    const file = join(data_dir, 'launcher.json');
    const declare = (state: Holder['state']): void => {
        writeFileSync(file, `${JSON.stringify({ pid: process.pid, state } satisfies Holder)}\n`);
    };
    const server = await hold(`\0credential-service:${dev}:${ino}`, data_dir, () => read(file), signal);
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
    data_dir: string,
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
            if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error; // listen() fails with system errors
        }
        const other = holder();
        if ((other?.state === 'running' && isRunning(other.pid)) || performance.now() > deadline) {
            throw new Problem(
                `${data_dir} is in use by another start, pid ${other?.pid}. ` +
                    `Stop that one (kill ${other?.pid}), or set DATA_DIR and PORT to run a second one beside it.`,
            );
        }
        await delay(POLL_MS, undefined, signal === undefined ? {} : { signal });
    }
}

function read(file: string): Holder | undefined {
    try {
        return JSON.parse(readFileSync(file, 'utf8')) as Holder; // written by declare() alone
    } catch {
        return undefined;
    }
}
