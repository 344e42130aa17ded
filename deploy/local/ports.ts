import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { holdPort } from '../../platform/process/held-ports.ts';
import { Problem } from './problem.ts';

/**
 * The range of chosen ports. It is below the range from which Linux assigns ports to outgoing connections (32768 and
 * up), so that a port chosen now is still free when its process restarts later.
 */
const PICK_FROM = { lowest: 20_000, highest: 32_767 };
/** Number of ports to try before giving up. */
const MAX_TRIES = 1_000;

export const LOOPBACK = '127.0.0.1';

/** Ports that this process has claimed, even if no process listens there yet. A chosen port has its mark. */
const taken = new Map<number, Socket | undefined>();

/**
 * Chooses a free port on 127.0.0.1 that no other process has chosen in this way. Give it back with `releasePort`, or by
 * ending this process. Throws Problem if none is found.
 */
export async function pickPort(): Promise<number> {
    const { lowest, highest } = PICK_FROM;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
        const port = randomInt(lowest, highest + 1);
        if (await reservePort(port)) return port;
    }
    throw new Problem(`No free port from ${lowest} to ${highest} was found on ${LOOPBACK}.`);
}

/**
 * Reserves a port on 127.0.0.1, and returns whether it was free. Two processes that choose at the same time cannot get the
 * same port, although nothing listens there yet: each marks its choice by the UDP port of the same number.
 */
export async function reservePort(port: number): Promise<boolean> {
    if (taken.has(port)) return false;
    const mark = createSocket('udp4').unref();
    mark.on('error', () => {}); // Nobody reads the mark, so only a failure of bind() matters.
    try {
        mark.bind({ address: LOOPBACK, port, exclusive: true });
        await once(mark, 'listening');
        if ((await listenError(LOOPBACK, port)) === undefined) {
            taken.set(port, mark);
            return true;
        }
    } catch {
        // Another process has marked the port, or this process can open no more sockets.
    }
    mark.close();
    return false;
}

/** The port may be chosen again. */
export function releasePort(port: number): void {
    taken.get(port)?.close();
    taken.delete(port);
}

/**
 * Takes `count` consecutive ports from `first`, or any free ports if `first` is 0, for servers that start later. This
 * process listens on them until then, so that nobody else takes them. Throws Problem if one is in use.
 */
export async function claimPorts(options: {
    host: string;
    first: number;
    count: number;
    setting: string;
}): Promise<number[]> {
    const { host, first, count, setting } = options;
    const ports: number[] = [];
    for (let index = 0; index < count; index++) {
        const port = first > 0 ? first + index : await pickPort();
        if (first > 0 && taken.has(port)) {
            throw new Problem(`Port ${port} is already used by another setting. Change ${setting}.`);
        }
        await holdPort({ host, port }).catch((error: NodeJS.ErrnoException) => {
            throw refusal({ host, port, setting }, error.code);
        });
        if (first > 0) taken.set(port, undefined);
        ports.push(port);
    }
    return ports;
}

/** Says which setting to change because the service cannot listen on this port. */
function refusal({ host, port, setting }: { host: string; port: number; setting: string }, code?: string) {
    if (code === 'EADDRINUSE') return new Problem(`Port ${port} on ${host} is in use. Set ${setting} to a free one.`);
    return new Problem(`Cannot listen on ${host}, port ${port} (${code}). Set HOST and ${setting}.`);
}

/** Tries to listen on the port. Returns the system's error code, or undefined if it works. */
async function listenError(host: string, port: number): Promise<string | undefined> {
    const server = createServer();
    try {
        server.listen({ host, port, exclusive: true });
        await once(server, 'listening');
    } catch (error) {
        return (error as NodeJS.ErrnoException).code; // listen() fails with system errors only
    }
    server.close();
    await once(server, 'close');
    return undefined;
}
