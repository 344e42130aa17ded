import type { Socket } from 'node:net';

/**
 * Pipelined requests that one turn of the event loop reads: some milliseconds. Then all but proven connections wait.
 */
const MAX_PIPELINED_PER_TURN = 128;
/** Waiting connections that each later turn resumes. */
const RESUMED_PER_TURN = 8;

export interface HttpReadingTurns {
    /** A connection has been accepted. */
    opened(socket: Socket): void;
    /** It has sent a request before the previous one was answered. */
    pipelined(socket: Socket): void;
    /** All of its requests have been answered. */
    answered(socket: Socket): void;
    closed(socket: Socket): void;
}

/**
 * Reads connections in turns while many of them pipeline. A turn of the event loop reads all connections that have
 * data, and the parser processes all that each read brings: hundreds of connections that pipeline a hundred requests
 * each would make everybody else wait for a second. Connections that have been answered and have never pipelined are
 * proven: they are read at any time.
 */
export function httpReadingTurns(): HttpReadingTurns {
    const unproven = new Set<Socket>();
    const pipelining = new WeakSet<Socket>();
    /** Connections that are not read until their turn, in order. */
    const waiting = new Set<Socket>();
    let pipelined_in_turn = 0;

    function wait(socket: Socket): void {
        socket.pause(); // the server's own listener stops the reading at once
        waiting.add(socket);
    }

    function nextTurn(): void {
        pipelined_in_turn = 0;
        let resumed = 0;
        for (const socket of waiting) {
            if (++resumed > RESUMED_PER_TURN) break;
            waiting.delete(socket);
            socket.resume();
        }
        if (waiting.size > 0) setImmediate(nextTurn);
    }

    return {
        opened(socket) {
            unproven.add(socket);
            if (waiting.size > 0) wait(socket);
        },
        pipelined(socket) {
            pipelining.add(socket);
            unproven.add(socket);
            if (waiting.size > 0) wait(socket);
            else if (pipelined_in_turn === 0) setImmediate(nextTurn);
            if (++pipelined_in_turn === MAX_PIPELINED_PER_TURN) for (const other of unproven) wait(other);
        },
        answered(socket) {
            if (!pipelining.has(socket)) unproven.delete(socket);
        },
        closed(socket) {
            unproven.delete(socket);
            waiting.delete(socket);
        },
    };
}
