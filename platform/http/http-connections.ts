import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { workInTurns } from '../process/turns.ts';
import { readingTurns } from './reading-turns.ts';
import { type Connection, cutExcess, hasStalled, newConnection, type UnsentBounds } from './unsent-answers.ts';

/**
 * Maximum number of connections, with too many unsent bytes or a stalled reader, that one turn of the event loop cuts.
 * Beyond it: the others follow in later turns.
 */
const CUT_PER_TURN = 4;
/**
 * Maximum number of connections, the longest inactive first, that are searched for one that may be cut for a new one.
 * Beyond it: the new connection takes one of the reserve, or is dropped.
 */
const MAX_SEARCHED = 256;
/** How often unsent answers are measured, in milliseconds. */
const SWEEP_MS = 250;

/** Bounds on what the clients of one server may hold. */
export interface ConnectionBounds {
    /**
     * Maximum number of open connections. A further one replaces one of those that have begun no request for longest: an
     * idle one or, if none is idle, one whose request has not arrived completely.
     */
    connections: number;
    /** Number of further connections that are accepted while none can be replaced. After that, new ones are refused. */
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
     * Records a request that has been read from the client at `address`. Returns false if its connection is closed, or
     * has too many requests and is therefore cut.
     */
    begin(response: ServerResponse, address: string): boolean;
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
    /** The longest inactive connection is the first. */
    const open = new Map<Socket, Connection>();
    /** The number of requests in progress that were pipelined behind another one. */
    let pipelined = 0;
    const cut = (socket: Socket, reason: CutReason): void => {
        onCut(reason);
        socket.destroy();
    };
    const unsent = watchUnsent(open, bounds.unsentBytes, cut);
    const requestRead = readingTurns(open, (socket) => open.get(socket)?.isProven ?? true);

    server.maxConnections = bounds.connections + bounds.reserve;
    server.on('connection', (socket: Socket) => {
        // Node removes its own 'error' listener from a socket that it hands over (CONNECT). Without a listener, a
        // reset ends the process.
        socket.on('error', () => {});
        const replaced = open.size >= bounds.connections ? longestInactive(open) : undefined;
        if (replaced) cut(replaced, 'idle');
        open.set(socket, newConnection(socket));
        socket.on('close', () => open.delete(socket));
    });

    return {
        begin(response, address) {
            requestRead();
            const { socket } = response.req;
            const connection = open.get(socket);
            if (!connection || socket.destroyed) return false; // Node's parser passes on all that it has read
            const { responses } = connection;
            const isPipelined = responses.length > 0;
            if (isPipelined) connection.isProven = false;
            connection.hasPipelined ||= isPipelined;
            if (responses.length >= bounds.requests || (isPipelined && pipelined >= bounds.pipelined)) {
                cut(socket, 'requests');
                return false;
            }
            if (isPipelined) pipelined++;
            else {
                connection.movedAt = performance.now();
                open.delete(socket);
                open.set(socket, connection); // moves it behind the others
            }
            connection.address = address;
            responses.push(response);
            response.on('close', () => {
                responses.splice(responses.indexOf(response), 1);
                if (isPipelined) pipelined--;
                connection.isProven = !connection.hasPipelined;
            });
            return true;
        },
        unsentBytes: unsent.bytes,
        stop: unsent.stop,
    };
}

/**
 * Measures the unsent answers again and again, and cuts connections with too many bytes or a stalled reader: a few in
 * each turn of the event loop, because ending all requests of a connection takes some milliseconds.
 */
function watchUnsent(
    open: Map<Socket, Connection>,
    bounds: UnsentBounds,
    cut: (socket: Socket, reason: CutReason) => void,
): { bytes(): number; stop(): void } {
    const inTurn = workInTurns(CUT_PER_TURN);
    const cutInTurn = (socket: Socket, reason: CutReason): void => {
        open.delete(socket); // so that it is measured no more
        inTurn(() => socket.destroyed || cut(socket, reason));
    };
    let bytes = 0;
    const sweep = setInterval(() => {
        const answering = Array.from(open.values()).filter(({ responses }) => responses.length > 0);
        bytes = cutExcess(answering, bounds, cutInTurn);
        const now = performance.now();
        for (const connection of answering) if (hasStalled(connection, now)) cutInTurn(connection.socket, 'stalled');
    }, SWEEP_MS);
    sweep.unref();
    return { bytes: () => bytes, stop: () => clearInterval(sweep) };
}

/** The first idle connection or, if none is idle, the first whose client has not sent its request completely. */
function longestInactive(open: ReadonlyMap<Socket, Connection>): Socket | undefined {
    let searched = 0;
    let sending: Socket | undefined;
    for (const [socket, { responses }] of open) {
        if (++searched > MAX_SEARCHED) break;
        if (socket.destroyed) continue;
        if (responses.length === 0) return socket;
        if (responses.every(({ req }) => !req.complete)) sending ??= socket;
    }
    return sending;
}
