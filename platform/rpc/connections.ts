import { createServer, type Socket } from 'node:net';

/** Connections of one process, known and unknown together. */
const MAX_CONNECTIONS = 4_096;
/** Of these, the ones that have not made a call with a valid token yet: altogether, and from one address. */
const MAX_UNKNOWN = 512;
const MAX_UNKNOWN_PER_ADDRESS = 64;
/** How long a connection may stay unknown, its TLS handshake included, in milliseconds. */
const UNKNOWN_MS = 30_000;

/** A connection's far end, as grpc-js tells it. */
interface Peer {
    remoteAddress?: string | undefined;
    remotePort?: number | undefined;
}

export interface Connections {
    port: number;
    /** A valid token has come over this connection: it may stay. */
    know(peer: Peer): void;
    /** Accepts no more. */
    close(): void;
    /** Cuts off the connections that have not become known: they may be in their handshake. */
    cutOffUnknown(): void;
}

export interface ConnectionBounds {
    connections: number;
    unknown: number;
    unknown_per_address: number;
    unknown_ms: number;
}

const BOUNDS: ConnectionBounds = {
    connections: MAX_CONNECTIONS,
    unknown: MAX_UNKNOWN,
    unknown_per_address: MAX_UNKNOWN_PER_ADDRESS,
    unknown_ms: UNKNOWN_MS,
};

/** Listens, and hands connections to `accept` within bounds: what exceeds them is closed before it costs a handshake. */
export async function listen(options: {
    host: string;
    /** 0: any free one. */
    port: number;
    accept(socket: Socket): void;
    bounds?: Partial<ConnectionBounds>;
}): Promise<Connections> {
    const bounds = { ...BOUNDS, ...options.bounds };
    const open = new Set<Socket>();
    const unknown = new Map<string, { socket: Socket; timer: NodeJS.Timeout }>();
    const by_address = new Map<string, number>();

    function know(peer: Peer): void {
        const entry = unknown.get(nameOf(peer));
        if (!entry) return;
        clearTimeout(entry.timer);
        unknown.delete(nameOf(peer));
        const { remoteAddress = '' } = peer;
        const left = (by_address.get(remoteAddress) ?? 0) - 1;
        if (left > 0) by_address.set(remoteAddress, left);
        else by_address.delete(remoteAddress);
    }

    function admits({ remoteAddress = '' }: Peer): boolean {
        return (
            open.size < bounds.connections &&
            unknown.size < bounds.unknown &&
            (by_address.get(remoteAddress) ?? 0) < bounds.unknown_per_address
        );
    }

    const server = createServer((socket) => {
        socket.on('error', () => {}); // 'close' follows, and who uses the socket hears of both
        const { remoteAddress, remotePort } = socket; // gone when it closes
        const peer = { remoteAddress, remotePort };
        if (remoteAddress === undefined || !admits(peer)) {
            socket.destroy();
            return;
        }
        open.add(socket);
        unknown.set(nameOf(peer), { socket, timer: setTimeout(() => socket.destroy(), bounds.unknown_ms).unref() });
        by_address.set(remoteAddress, (by_address.get(remoteAddress) ?? 0) + 1);
        socket.on('close', () => {
            open.delete(socket);
            know(peer); // it counts no more
        });
        options.accept(socket);
    });
    await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, options.host, resolve);
    });
    const bound = server.address();
    return {
        port: typeof bound === 'object' && bound ? bound.port : options.port,
        know,
        close: () => void server.close(),
        cutOffUnknown() {
            for (const { socket } of unknown.values()) socket.destroy();
        },
    };
}

function nameOf({ remoteAddress, remotePort }: Peer): string {
    return `${remoteAddress} ${remotePort}`;
}
