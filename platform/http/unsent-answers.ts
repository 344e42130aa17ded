import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long an unsent answer may wait without a write to the connection that is completed, in milliseconds. It suffices
 * for an answer of 1 MiB, which is one write, at 35 KiB/s. Beyond it: the connection is cut.
 */
const STALLED_MS = 30_000;

/** Maximum number of bytes of unsent answers: on one connection, for one client address, and in total. */
export interface UnsentBounds {
    connection: number;
    address: number;
    total: number;
}

/** An open connection, and how far its client has read. */
export interface Connection {
    socket: Socket;
    /** Address of the client that sent the newest request. Behind a proxy, several clients share a connection. */
    address: string;
    /**
     * The answers that are not completely sent, oldest first. Not a Set: `platform/unordered-list.ts` says why.
     */
    responses: ServerResponse[];
    /** True if it has ever sent a request before the previous one was answered. */
    hasPipelined: boolean;
    /** True if it has been answered, and has never pipelined. */
    isProven: boolean;
    /** Bytes of the completed writes at the last measurement, and when that last changed (`performance.now()`). */
    written: number;
    movedAt: number;
}

export function newConnection(socket: Socket): Connection {
    return {
        socket,
        address: '',
        responses: [],
        isProven: false,
        hasPipelined: false,
        written: 0,
        movedAt: performance.now(),
    };
}

/**
 * Cuts connections whose unsent answers exceed the bound of a connection, of an address or of the total. Those that
 * have waited longest are cut first. Returns the number of unsent bytes.
 */
export function cutExcess(
    connections: Connection[],
    most: UnsentBounds,
    cut: (socket: Socket, reason: 'unsent') => void,
): number {
    const measured = connections.map((connection) => ({ connection, bytes: unsentBytes(connection) }));
    const waiting = measured.filter(({ bytes }) => bytes > 0);
    const total = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= most.connection) return total;
    waiting.sort((one, other) => other.connection.movedAt - one.connection.movedAt);
    const byAddress = new Map<string, number>();
    let kept = 0;
    for (const { connection, bytes } of waiting) {
        const ofAddress = (byAddress.get(connection.address) ?? 0) + bytes;
        const fits = bytes <= most.connection && ofAddress <= most.address && kept + bytes <= most.total;
        if (!fits) {
            cut(connection.socket, 'unsent');
            continue;
        }
        byAddress.set(connection.address, ofAddress);
        kept += bytes;
    }
    return total;
}

/**
 * The unsent bytes of a connection. The answer that is being sent counts what the socket holds; each answer behind it
 * counts its own text.
 */
function unsentBytes({ responses }: Connection): number {
    let bytes = 0;
    for (const response of responses) bytes += response.writableLength;
    return bytes;
}

/** True if bytes have waited for STALLED_MS and no write has been completed. */
export function hasStalled(connection: Connection, now: number): boolean {
    const { socket } = connection;
    const written = socket.bytesWritten - socket.writableLength;
    if (written > connection.written || socket.writableLength === 0) connection.movedAt = now;
    connection.written = written;
    return now - connection.movedAt > STALLED_MS;
}
