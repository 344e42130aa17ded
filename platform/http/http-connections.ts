import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eachTurn } from '../process/turns.ts';
import { httpReadingTurns } from './http-reading-turns.ts';

/** A connection whose reader takes nothing for this long (ms) is cut. */
const STALLED_MS = 15_000;
/** Connections with too much unsent, or a stalled reader, that one turn of the event loop cuts. */
const CUT_PER_TURN = 4;
/** How often unsent answers are measured, in milliseconds. */
const SWEEP_MS = 250;

/** What the clients of one server may hold. */
export interface ConnectionBounds {
    /** Open connections. A further one replaces the oldest idle one. */
    connections: number;
    /** Further connections while none is idle. Then new ones are refused. */
    reserve: number;
    /** Requests in progress on one connection. A client that pipelines more is cut. */
    requests: number;
    /** Bytes of answers that wait for their readers: on one connection, for one client address, and in total. */
    unsent_bytes: { connection: number; address: number; total: number };
}

/**
 * Why a connection was cut: too many requests, too many unsent bytes, a stalled reader, or idle when room was needed.
 */
export type CutReason = (typeof CUT_REASONS)[number];
export const CUT_REASONS = ['requests', 'unsent', 'stalled', 'idle'] as const;

/** Bounds what clients hold in this process through their connections. */
export interface Connections {
    /**
     * Records a request that has been read from the client at `address`. Returns the number of requests in progress on
     * its connection, or 0 if there are too many: the connection is then cut.
     */
    begin(response: ServerResponse, address: string): number;
    /** Records that a part of a body has been read from this connection. */
    readBody(socket: Socket): void;
    /** Bytes of answers that waited for their readers at the last measurement. */
    unsentBytes(): number;
    /** Stops the measurements. */
    stop(): void;
}

interface Connection {
    socket: Socket;
    /** The client of the newest request. Behind a proxy, several clients share a connection. */
    address: string;
    /** The answers that are not completely sent. */
    responses: Set<ServerResponse>;
    /** What the reader had taken at the last measurement, and when that last changed (`performance.now()`). */
    taken: Progress;
    moved_at: number;
}

interface Progress {
    /** Bytes of the completed writes. */
    completed: number;
    /** Bytes of the current write that the kernel has not taken yet. */
    queued: number;
}

/** Watches all connections of `server`, and calls `onCut` for each one that it closes. */
export function watchConnections(
    server: Server,
    bounds: ConnectionBounds,
    onCut: (reason: CutReason) => void,
): Connections {
    const open = new Map<Socket, Connection>();
    /** Connections without a request in progress, the one that has been idle for longest first. */
    const idle = new Set<Socket>();
    const turns = httpReadingTurns();
    const cut = (socket: Socket, reason: CutReason): void => {
        onCut(reason);
        socket.destroy();
    };
    const cutInTurns = inTurns(cut);
    let unsent_bytes = 0;

    server.maxConnections = bounds.connections + bounds.reserve;
    server.on('connection', (socket: Socket) => {
        // Node removes its own listener from a socket that it hands over (CONNECT). Without one, a reset ends the
        // process.
        socket.on('error', () => {});
        stopParsingOnceDestroyed(socket);
        if (open.size >= bounds.connections) cutOldest(idle, cut);
        idle.add(socket);
        const moved_at = performance.now();
        open.set(socket, { socket, address: '', responses: new Set(), taken: progressOf(socket), moved_at });
        turns.opened(socket);
        socket.on('close', () => {
            open.delete(socket);
            idle.delete(socket);
            turns.closed(socket);
        });
    });

    const sweep = setInterval(() => {
        const answering = Array.from(open.values()).filter(({ responses }) => responses.size > 0);
        unsent_bytes = cutExcess(answering, bounds.unsent_bytes, cutInTurns);
        const now = performance.now();
        for (const connection of answering) if (isStalled(connection, now)) cutInTurns(connection.socket, 'stalled');
    }, SWEEP_MS);
    sweep.unref();

    return {
        begin(response, address) {
            const { socket } = response.req;
            const connection = open.get(socket);
            if (!connection) return 0; // it is closed
            if (connection.responses.size >= bounds.requests) {
                if (!socket.destroyed) cut(socket, 'requests');
                return 0;
            }
            if (connection.responses.size === 0) connection.moved_at = performance.now();
            else turns.pipelined(socket);
            turns.read(socket);
            connection.address = address;
            connection.responses.add(response);
            idle.delete(socket);
            response.on('close', () => {
                connection.responses.delete(response);
                if (connection.responses.size > 0 || !open.has(socket)) return;
                idle.add(socket);
                turns.answered(socket);
            });
            return connection.responses.size;
        },
        readBody: (socket) => turns.read(socket),
        unsentBytes: () => unsent_bytes,
        stop: () => clearInterval(sweep),
    };
}

/** Ending all requests of a connection takes some milliseconds: each turn of the event loop cuts only a few connections. */
function inTurns(cut: (socket: Socket, reason: CutReason) => void): (socket: Socket, reason: CutReason) => void {
    const waiting = new Map<Socket, CutReason>();
    function nextTurn(): boolean {
        let count = 0;
        for (const [socket, reason] of waiting) {
            if (++count > CUT_PER_TURN) break;
            waiting.delete(socket);
            if (!socket.destroyed) cut(socket, reason);
        }
        return waiting.size > 0;
    }
    return (socket, reason) => {
        waiting.set(socket, reason);
        eachTurn(nextTurn);
    };
}

/** Cuts the connection that has been idle for longest. It may have sent a part of a request header. */
function cutOldest(idle: Set<Socket>, cut: (socket: Socket, reason: CutReason) => void): void {
    for (const socket of idle) {
        idle.delete(socket);
        if (socket.destroyed) continue;
        cut(socket, 'idle');
        return;
    }
}

/**
 * Cuts connections whose unsent answers are too large, alone or together with those of the same address or of all.
 * Those that have waited longest are cut first. Returns the number of unsent bytes.
 */
function cutExcess(
    connections: Connection[],
    most: ConnectionBounds['unsent_bytes'],
    cut: (socket: Socket, reason: CutReason) => void,
): number {
    const measured = connections.map((connection) => ({ connection, bytes: unsentBytes(connection) }));
    const waiting = measured.filter(({ bytes }) => bytes > 0);
    const total = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= most.connection) return total;
    waiting.sort((one, other) => other.connection.moved_at - one.connection.moved_at);
    const by_address = new Map<string, number>();
    let kept = 0;
    for (const { connection, bytes } of waiting) {
        const of_address = (by_address.get(connection.address) ?? 0) + bytes;
        const fits = bytes <= most.connection && of_address <= most.address && kept + bytes <= most.total;
        if (!fits) {
            cut(connection.socket, 'unsent');
            continue;
        }
        by_address.set(connection.address, of_address);
        kept += bytes;
    }
    return total;
}

/** The answer that is being sent counts what its connection holds. The answers behind it count their own text. */
function unsentBytes({ responses }: Connection): number {
    let bytes = 0;
    for (const response of responses) bytes += response.writableLength;
    return bytes;
}

/** True if bytes have waited for STALLED_MS and the reader took none. */
function isStalled(connection: Connection, now: number): boolean {
    const { socket, taken } = connection;
    const present = progressOf(socket);
    const has_moved = present.completed > taken.completed || present.queued < taken.queued;
    connection.taken = present;
    if (has_moved || socket.writableLength === 0) connection.moved_at = now;
    return now - connection.moved_at > STALLED_MS;
}

function progressOf(socket: Socket): Progress {
    // Not public, but Node's own idle timeout uses it. No public property shows the progress of a large write.
    const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } };
    return { completed: socket.bytesWritten - socket.writableLength, queued: handle?.writeQueueSize ?? 0 };
}

type OnIncoming = (request: unknown, keepsAlive: boolean) => number;

/**
 * Node's parser continues to the end of what a read has brought, even after its connection was cut: up to thousands of
 * requests.
 */
function stopParsingOnceDestroyed(socket: Socket): void {
    // Not public: no public function stops the parser in the middle of a read.
    const { parser } = socket as Socket & { parser?: { onIncoming: OnIncoming } | null };
    if (!parser) return;
    const { onIncoming } = parser;
    // 2 means that the connection is upgraded: the parser then stops reading.
    parser.onIncoming = (request, keepsAlive) => {
        const verdict = socket.destroyed ? 2 : onIncoming(request, keepsAlive);
        return socket.destroyed ? 2 : verdict;
    };
}
