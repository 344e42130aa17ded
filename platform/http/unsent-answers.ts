import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long a client may read nothing while an answer waits for it, in milliseconds. Beyond it: the connection is cut.
 */
const STALLED_MS = 15_000;

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
    /** How much the client had read at the last measurement, and when that last changed (`performance.now()`). */
    taken: Progress;
    movedAt: number;
}

interface Progress {
    /** Bytes of the completed writes. */
    completed: number;
    /** Bytes of the current write that the kernel has not taken yet. */
    queued: number;
}

export function newConnection(socket: Socket): Connection {
    return { socket, address: '', responses: [], taken: progressOf(socket), movedAt: performance.now() };
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

/** True if bytes have waited for STALLED_MS and the client has read none of them. */
export function hasStalled(connection: Connection, now: number): boolean {
    const { socket, taken } = connection;
    const present = progressOf(socket);
    const hasMoved = present.completed > taken.completed || present.queued < taken.queued;
    connection.taken = present;
    if (hasMoved || socket.writableLength === 0) connection.movedAt = now;
    return now - connection.movedAt > STALLED_MS;
}

function progressOf(socket: Socket): Progress {
    // Not public, but Node's own idle timeout uses it. No public property shows the progress of a large write.
    const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } };
    return { completed: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 };
}
