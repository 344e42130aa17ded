import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Maximum number of new connections that wait in the kernel to be accepted. The kernel's own limit may be lower. Beyond
 * it: the client tries again after a second.
 */
const BACKLOG = 4_096;

interface Address {
    host: string;
    /** 0: any free port. */
    port: number;
}

/** The ports of launchers, whose servers start later. */
const held = new Map<string, Server>();

/**
 * Takes a port for a server of this process that starts later, so that nobody else takes it meanwhile. Until then,
 * connections are closed at once. Rejects with a system error if the port is in use.
 */
export async function holdPort({ host, port }: Address): Promise<void> {
    const holder = createServer((socket) => socket.destroy());
    holder.listen({ host, port, exclusive: true });
    await once(holder, 'listening');
    held.set(keyOf({ host, port }), holder);
}

/** Gives up all ports that are held, so that other processes can listen on them. */
export async function releasePorts(): Promise<void> {
    const holders = [...held.values()];
    held.clear();
    await Promise.all(holders.map((holder) => once(holder.close(), 'close')));
}

/** Makes a server listen. It takes over the port if it is held. Resolves to the port. */
export async function listen(server: Server, { host, port }: Address): Promise<number> {
    const key = keyOf({ host, port });
    const holder = held.get(key);
    held.delete(key);
    if (holder) server.listen(holder, BACKLOG);
    else server.listen({ host, port, backlog: BACKLOG });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // it listens on a port
}

function keyOf({ host, port }: Address): string {
    return `${host} ${port}`;
}
