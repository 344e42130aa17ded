import type { Socket } from 'node:net';
import { connectionAccepted, eachTurn, rest } from '../process/turns.ts';
import { startReading, stopReading } from './socket-reading.ts';

/** How long one turn of the event loop may read before all connections wait, in milliseconds. */
const READING_MS = 10;
/** After a turn that has read for longer (ms), which one connection can cause, nothing is read for the same time. */
const REST_AFTER_READING_MS = 15;
/** A connection that has been answered this often, and has never pipelined, is trusted. */
const TRUSTED_ANSWERS = 8;
/** Waiting connections that each later turn resumes, by rank. What is resumed first is read first. */
const RESUMED_PER_TURN = { trusted: 16, proven: 8, new: 8, other: 4 };

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
    /** What this turn has resumed, each with the end of its queue that it was at, and what this turn has read. */
    const resumed = new Map<Socket, 'first' | 'last'>();
    const hasRead = new Set<Socket>();
    /** `performance.now()` at the first read of this turn; undefined before that. */
    let began: number | undefined;
    /** `performance.now()` at the last read. */
    let last_read = 0;
    let isPaused = false;
    /** The order in which the next turn resumes the ranks: each turn has another first one, so that none waits for long. */
    let order = [...RANKS];

    const isWaiting = (socket: Socket): boolean => RANKS.some((rank) => waiting[rank].has(socket));

    const areWaiting = (): boolean => RANKS.some((rank) => waiting[rank].size > 0);

    function wait(socket: Socket): void {
        const connection = open.get(socket);
        if (!connection || isWaiting(socket)) return;
        stopReading(socket);
        waiting[rankOf(connection)].add(socket);
    }

    /** Connections that were resumed but not read keep their place; those that were read go to the end. */
    function pauseAll(): void {
        const behind = waiting;
        waiting = emptyQueues();
        const unread = Array.from(resumed).filter(([socket]) => !hasRead.has(socket));
        for (const [socket, end] of unread) if (end === 'first') wait(socket);
        for (const rank of RANKS) for (const socket of behind[rank]) waiting[rank].add(socket);
        for (const [socket, end] of unread.reverse()) if (end === 'last') wait(socket);
        for (const socket of open.keys()) if (!hasRead.has(socket)) wait(socket);
        for (const socket of hasRead) wait(socket);
    }

    function resume(rank: Rank): void {
        for (const [socket, end] of nextOf(rank, Array.from(waiting[rank]))) {
            waiting[rank].delete(socket);
            resumed.set(socket, end);
            startReading(socket);
        }
    }

    function nextTurn(): boolean {
        const took_ms = began === undefined ? 0 : last_read - began;
        began = undefined;
        isPaused = false;
        if (took_ms > REST_AFTER_READING_MS) {
            rest(took_ms);
            return true;
        }
        resumed.clear();
        hasRead.clear();
        for (const rank of order) resume(rank);
        order = [...order.slice(1), ...order.slice(0, 1)];
        return resumed.size > 0;
    }

    return {
        opened(socket) {
            open.set(socket, { answers: 0, hasPipelined: false, hasSent: false });
            connectionAccepted();
            if (areWaiting()) wait(socket);
        },
        read(socket) {
            const connection = open.get(socket);
            if (connection) connection.hasSent = true;
            hasRead.add(socket);
            last_read = performance.now();
            if (began === undefined) {
                began = last_read;
                eachTurn(nextTurn);
            } else if (!isPaused && last_read - began > READING_MS) {
                isPaused = true;
                pauseAll();
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

/**
 * The connections that a turn resumes. Of the new ones, half are the newest, which come first: a client that has just
 * connected does not wait for hundreds that connected before it.
 */
function nextOf(rank: Rank, queue: Socket[]): Array<[Socket, 'first' | 'last']> {
    const count = Math.min(RESUMED_PER_TURN[rank], queue.length);
    const lastCount = rank === 'new' ? Math.ceil(count / 2) : 0;
    const last = lastCount > 0 ? queue.slice(-lastCount).reverse() : [];
    const first = queue.slice(0, count - lastCount);
    return [
        ...last.map((socket): [Socket, 'last'] => [socket, 'last']),
        ...first.map((socket): [Socket, 'first'] => [socket, 'first']),
    ];
}

function rankOf({ answers, hasPipelined, hasSent }: Connection): Rank {
    if (hasPipelined) return 'other';
    if (answers >= TRUSTED_ANSWERS) return 'trusted';
    if (answers > 0) return 'proven';
    return hasSent ? 'other' : 'new';
}
