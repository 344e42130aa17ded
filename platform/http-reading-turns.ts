import type { Socket } from 'node:net';
import { startReading, stopReading } from './socket-reading.ts';

/** How long one turn of the event loop may read before all connections wait, in milliseconds. */
const READING_MS = 10;
/** A connection that has been answered this often, and has never pipelined, goes before all others. */
const TRUSTED_ANSWERS = 8;
/** Waiting connections that each later turn resumes, by rank. The ranks are in the order in which they are resumed. */
const RESUMED_PER_TURN = { trusted: 16, proven: 8, new: 4, other: 4 };

/**
 * How much a connection has shown of its client: `trusted` was answered TRUSTED_ANSWERS times, `proven` at least once,
 * both without pipelining; `new` has sent no request yet; `other` has pipelined, or sends its first request.
 */
type Rank = keyof typeof RESUMED_PER_TURN;
const RANKS = Object.keys(RESUMED_PER_TURN) as Rank[];

interface Connection {
    answers: number;
    hasPipelined: boolean;
    hasSent: boolean;
}

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
 * seconds.
 */
export function httpReadingTurns(): HttpReadingTurns {
    const open = new Map<Socket, Connection>();
    /** Connections that are not read until their turn, by rank, in order. */
    let waiting = emptyQueues();
    /** What this turn has resumed, and what it has read. */
    const resumed = new Set<Socket>();
    const hasRead = new Set<Socket>();
    /** `performance.now()` at the first read of this turn; undefined before that. */
    let began: number | undefined;
    let isScheduled = false;

    const isWaiting = (socket: Socket): boolean => RANKS.some((rank) => waiting[rank].has(socket));

    function wait(socket: Socket): void {
        const connection = open.get(socket);
        if (!connection || isWaiting(socket)) return;
        stopReading(socket);
        waiting[rankOf(connection)].add(socket);
    }

    /** Connections that were resumed but not read keep their place at the front; those that were read go to the end. */
    function pauseAll(): void {
        const behind = waiting;
        waiting = emptyQueues();
        for (const socket of resumed) if (!hasRead.has(socket)) wait(socket);
        for (const rank of RANKS) for (const socket of behind[rank]) waiting[rank].add(socket);
        for (const socket of open.keys()) if (!hasRead.has(socket)) wait(socket);
        for (const socket of hasRead) wait(socket);
    }

    function resume(rank: Rank): void {
        let count = 0;
        for (const socket of waiting[rank]) {
            if (++count > RESUMED_PER_TURN[rank]) break;
            waiting[rank].delete(socket);
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
        for (const rank of RANKS) resume(rank);
        if (resumed.size > 0) schedule();
    }

    return {
        opened(socket) {
            open.set(socket, { answers: 0, hasPipelined: false, hasSent: false });
            if (RANKS.some((rank) => waiting[rank].size > 0)) wait(socket);
        },
        read(socket) {
            const connection = open.get(socket);
            if (connection) connection.hasSent = true;
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
            const connection = open.get(socket);
            if (connection) connection.hasPipelined = true;
        },
        answered(socket) {
            const connection = open.get(socket);
            if (connection) connection.answers++;
        },
        closed(socket) {
            open.delete(socket);
            for (const rank of RANKS) waiting[rank].delete(socket);
            resumed.delete(socket);
        },
    };
}

function emptyQueues(): Record<Rank, Set<Socket>> {
    return { trusted: new Set(), proven: new Set(), new: new Set(), other: new Set() };
}

function rankOf({ answers, hasPipelined, hasSent }: Connection): Rank {
    if (hasPipelined) return 'other';
    if (answers >= TRUSTED_ANSWERS) return 'trusted';
    if (answers > 0) return 'proven';
    return hasSent ? 'other' : 'new';
}
