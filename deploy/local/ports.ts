import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Problem } from './problem.ts';

/**
 * The range of chosen ports. It is below the range from which Linux assigns ports to outgoing connections (32768 and
 * up), so that a port chosen now is still free when its process restarts later.
 */
const PICK_FROM = { lowest: 20_000, highest: 32_767 };

export const LOOPBACK = '127.0.0.1';

/** Ports that this process has claimed, even if no process listens there yet. A chosen port has its mark. */
const taken = new Map<number, Socket | undefined>();

/**
 * Chooses a free port on 127.0.0.1 that no process on this machine has chosen before. Give it back with `releasePort`,
 * or by ending this process.
 */
export async function pickPort(): Promise<number> {
    for (;;) {
        const port = randomInt(PICK_FROM.lowest, PICK_FROM.highest + 1);
        if (await reservePort(port)) return port;
    }
}

/**
 * Reserves a port on 127.0.0.1, and returns whether it was free. Two processes that choose at the same time cannot get the
 * same port, although nothing listens there yet: each marks its choice by the UDP port of the same number.
 */
export async function reservePort(port: number): Promise<boolean> {
    if (taken.has(port)) return false;
    const mark = createSocket('udp4').unref();
    try {
        mark.bind({ address: LOOPBACK, port, exclusive: true });
        await once(mark, 'listening');
    } catch {
        mark.close();
        return false;
    }
    if ((await listenError(LOOPBACK, port)) !== undefined) {
        mark.close();
        return false;
    }
    taken.set(port, mark);
    return true;
}

/** The port may be chosen again. */
export function releasePort(port: number): void {
    taken.get(port)?.close();
    taken.delete(port);
}

/**
 * Chooses `count` consecutive ports from `first`, or any free ports if `first` is 0. Throws Problem if one is in use.
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
        if (first > 0) await requirePort(host, first + index, setting);
        ports.push(first > 0 ? first + index : await pickPort());
    }
    return ports;
}

/** Throws Problem, with the setting to change, if the service could not listen on this port. */
async function requirePort(host: string, port: number, setting: string): Promise<void> {
    if (taken.has(port)) throw new Problem(`Port ${port} is already used by another setting. Change ${setting}.`);
    const code = await listenError(host, port);
    if (code === undefined) {
        taken.set(port, undefined);
        return;
    }
    if (code === 'EADDRINUSE') throw new Problem(`Port ${port} on ${host} is in use. Set ${setting} to a free one.`);
    throw new Problem(`Cannot listen on ${host}, port ${port} (${code}). Set HOST and ${setting}.`);
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
