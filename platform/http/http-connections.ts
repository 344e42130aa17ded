import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { eachTurn } from '../process/turns.ts';
import { httpReadingTurns } from './http-reading-turns.ts';
import { onEachRead } from './parser-reads.ts';
import { stopParsingOnceDestroyed } from './stop-parsing.ts';
import { type Connection, cutExcess, hasStalled, newConnection, type UnsentBounds } from './unsent-answers.ts';

/**
 * Maximum number of connections, with too many unsent bytes or a stalled reader, that one turn of the event loop cuts.
 * Beyond it: the others follow in later turns.
 */
const CUT_PER_TURN = 4;
/**
 * Maximum number of connections that are searched for one that may be cut when no connection is idle. Beyond it: the
 * new connection is dropped.
 */
const MAX_SEARCHED = 256;
/** How often unsent answers are measured, in milliseconds. */
const SWEEP_MS = 250;

/** Bounds on what the clients of one server may hold. */
export interface ConnectionBounds {
    /**
     * Maximum number of open connections. A further one replaces the one that has been idle for longest or, if none is
     * idle, one of the oldest whose request has not arrived completely.
     */
    connections: number;
    /** Number of further connections that are accepted while none is idle. After that, new ones are refused. */
    reserve: number;
    /** Maximum number of requests in progress on one connection. A connection that pipelines more is cut. */
    requests: number;
    /**
     * Maximum number of requests in progress that were pipelined behind another one, on all connections together. A
     * connection that pipelines a further one is cut.
     */
    pipelined: number;
    unsentBytes: UnsentBounds;
}

/**
 * Why a connection was cut: too many requests, too many unsent bytes, a stalled reader, or idle when room was needed
 * (also if it had sent only a part of its request).
 */
export type CutReason = (typeof CUT_REASONS)[number];
export const CUT_REASONS = ['requests', 'unsent', 'stalled', 'idle'] as const;

/** Limits what clients hold in this process through their connections. */
export interface Connections {
    /**
     * Records a request that has been read from the client at `address`. Returns the number of requests in progress on
     * its connection. Returns 0 if the connection is closed, or if it has too many requests and is therefore cut.
     */
    begin(response: ServerResponse, address: string): number;
    /** Records that a part of a body has been read from this connection. */
    readBody(socket: Socket): void;
    /** Bytes of unsent answers at the last measurement. */
    unsentBytes(): number;
    /** Stops the measurements. */
    stop(): void;
}

/** Watches all connections of `server`, and calls `onCut` for each one that it closes. */
export function watchConnections(
    server: Server,
    bounds: ConnectionBounds,
    onCut: (reason: CutReason) => void,
): Connections {
    const open = new Map<Socket, Connection>();
    /** Connections without a request in progress, in the order in which they became idle. */
    const idle = new Set<Socket>();
    const turns = httpReadingTurns();
    /** The number of requests in progress that were pipelined behind another one. */
    let pipelined = 0;
    const cut = (socket: Socket, reason: CutReason): void => {
        onCut(reason);
        socket.destroy();
    };
    const unsent = watchUnsent(open, bounds.unsentBytes, cut);

    server.maxConnections = bounds.connections + bounds.reserve;
    server.on('connection', (socket: Socket) => {
        // Node removes its own 'error' listener from a socket that it hands over (CONNECT). Without a listener, a
        // reset ends the process.
        socket.on('error', () => {});
        stopParsingOnceDestroyed(socket);
        onEachRead(socket, () => turns.read(socket));
        if (open.size >= bounds.connections && !cutOldestIdle(idle, cut)) cutOldestSending(open, cut);
        idle.add(socket);
        open.set(socket, newConnection(socket));
        turns.opened(socket);
        socket.on('close', () => {
            open.delete(socket);
            idle.delete(socket);
            turns.closed(socket);
        });
    });

    return {
        begin(response, address) {
            const { socket } = response.req;
            const connection = open.get(socket);
            if (!connection) return 0; // it is closed
            const inProgress = connection.responses.length;
            const isPipelined = inProgress > 0;
            if (inProgress >= bounds.requests || (isPipelined && pipelined >= bounds.pipelined)) {
                if (!socket.destroyed) cut(socket, 'requests');
                return 0;
            }
            if (isPipelined) {
                pipelined++;
                turns.pipelined(socket);
            } else connection.movedAt = performance.now();
            turns.read(socket);
            connection.address = address;
            connection.responses.push(response);
            idle.delete(socket);
            response.on('close', () => {
                connection.responses.splice(connection.responses.indexOf(response), 1);
                if (isPipelined) pipelined--;
                if (connection.responses.length > 0 || !open.has(socket)) return;
                idle.add(socket);
                turns.answered(socket);
            });
            return connection.responses.length;
        },
        readBody: (socket) => turns.read(socket),
        unsentBytes: unsent.bytes,
        stop: unsent.stop,
    };
}

/** Measures the unsent answers again and again, and cuts connections with too many bytes or a stalled reader. */
function watchUnsent(
    open: ReadonlyMap<Socket, Connection>,
    bounds: UnsentBounds,
    cut: (socket: Socket, reason: CutReason) => void,
): { bytes(): number; stop(): void } {
    const cutInTurns = inTurns(cut);
    let bytes = 0;
    const sweep = setInterval(() => {
        const answering = Array.from(open.values()).filter(({ responses }) => responses.length > 0);
        bytes = cutExcess(answering, bounds, cutInTurns);
        const now = performance.now();
        for (const connection of answering) if (hasStalled(connection, now)) cutInTurns(connection.socket, 'stalled');
    }, SWEEP_MS);
    sweep.unref();
    return { bytes: () => bytes, stop: () => clearInterval(sweep) };
}

/**
 * Returns a function that cuts connections, but only a few in each turn of the event loop: ending all requests of a
 * connection takes some milliseconds.
 */
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

/**
 * Cuts the connection that has been idle for longest. It may have sent a part of a request header. Returns false if none
 * is idle.
 */
function cutOldestIdle(idle: Set<Socket>, cut: (socket: Socket, reason: CutReason) => void): boolean {
    for (const socket of idle) {
        idle.delete(socket);
        if (socket.destroyed) continue;
        cut(socket, 'idle');
        return true;
    }
    return false;
}

/** Cuts the first of the oldest connections whose client has not sent its request completely. */
function cutOldestSending(
    open: ReadonlyMap<Socket, Connection>,
    cut: (socket: Socket, reason: CutReason) => void,
): void {
    let searched = 0;
    for (const [socket, { responses }] of open) {
        if (++searched > MAX_SEARCHED) return;
        const isSending = responses.every(({ req }) => !req.complete);
        if (socket.destroyed || !isSending) continue;
        cut(socket, 'idle');
        return;
    }
}
