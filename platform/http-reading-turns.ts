import type { Socket } from 'node:net';
import { startReading, stopReading } from './socket-reading.ts';

/** How long one turn of the event loop may read before all connections wait, in milliseconds. */
const READING_MS = 10;
/** Waiting connections that each later turn resumes: proven ones, and others. */
const RESUMED_PER_TURN = { proven: 16, other: 4 };

export interface HttpReadingTurns {
    /** A connection has been accepted. */
    opened(socket: Socket): void;
    /** It has sent a request, or a part of a body, that is being processed now. */
    read(socket: Socket): void;
    /** It has sent a request before the previous one was answered. */
    pipelined(socket: Socket): void;
    /** All of its requests have been answered. */
    answered(socket: Socket): void;
    closed(socket: Socket): void;
}

/**
 * Reads connections in turns while they send more than the event loop processes in READING_MS. One turn of the event loop
 * reads all connections that have data, and what each of them has sent is processed at once: hundreds of connections
 * that send a hundred requests, or thousands of small chunks, at the same moment would make everybody else wait for
 * seconds. Connections that have been answered and have never pipelined are proven: they go first.
 */
export function httpReadingTurns(): HttpReadingTurns {
    const open = new Set<Socket>();
    const proven = new WeakSet<Socket>();
    const pipelining = new WeakSet<Socket>();
    /** Connections that are not read until their turn, in order. */
    let waiting = { proven: new Set<Socket>(), other: new Set<Socket>() };
    /** What this turn has resumed, and what it has read. */
    const resumed = new Set<Socket>();
    const hasRead = new Set<Socket>();
    /** `performance.now()` at the first read of this turn; undefined before that. */
    let began: number | undefined;
    let isScheduled = false;

    const isWaiting = (socket: Socket): boolean => waiting.proven.has(socket) || waiting.other.has(socket);

    function wait(socket: Socket): void {
        if (isWaiting(socket)) return;
        stopReading(socket);
        (proven.has(socket) ? waiting.proven : waiting.other).add(socket);
    }

    /** Connections that were resumed but not read keep their place at the front; those that were read go to the end. */
    function pauseAll(): void {
        const behind = waiting;
        waiting = { proven: new Set(), other: new Set() };
        for (const socket of resumed) if (!hasRead.has(socket)) wait(socket);
        for (const socket of behind.proven) waiting.proven.add(socket);
        for (const socket of behind.other) waiting.other.add(socket);
        for (const socket of open) if (!hasRead.has(socket)) wait(socket);
        for (const socket of hasRead) if (open.has(socket)) wait(socket);
    }

    function resume(queue: Set<Socket>, count: number): void {
        for (const socket of queue) {
            if (count-- === 0) break;
            queue.delete(socket);
            resumed.add(socket);
            startReading(socket);
        }
    }

    function schedule(): void {
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(nextTurn);
    }

    function nextTurn(): void {
        isScheduled = false;
        began = undefined;
        resumed.clear();
        hasRead.clear();
        resume(waiting.proven, RESUMED_PER_TURN.proven);
        resume(waiting.other, RESUMED_PER_TURN.other);
        if (resumed.size > 0) schedule();
    }

    return {
        opened(socket) {
            open.add(socket);
            if (waiting.proven.size + waiting.other.size > 0) wait(socket);
        },
        read(socket) {
            hasRead.add(socket);
            const now = performance.now();
            if (began === undefined) {
                began = now;
                schedule();
            } else if (now - began > READING_MS) {
                pauseAll();
                began = Number.POSITIVE_INFINITY; // once in a turn
            }
        },
        pipelined(socket) {
            pipelining.add(socket);
            proven.delete(socket);
        },
        answered(socket) {
            if (!pipelining.has(socket)) proven.add(socket);
        },
        closed(socket) {
            open.delete(socket);
            waiting.proven.delete(socket);
            waiting.other.delete(socket);
            resumed.delete(socket);
        },
    };
}
