import type { Socket } from 'node:net';
import { connectionAccepted, eachTurn, rest } from '../process/turns.ts';
import { startReading, stopReading } from './socket-reading.ts';

/**
 * How long one turn of the event loop may read connections, in milliseconds. Beyond it: all connections are paused and
 * wait for later turns.
 */
const READING_MS = 10;
/**
 * Time of one turn that may be spent on reading, in milliseconds. A single connection can use it up. Beyond it: reading
 * pauses for as long as that turn has read.
 */
const REST_AFTER_READING_MS = 15;
/** A connection is trusted after this many answers if it has never pipelined. */
const TRUSTED_ANSWERS = 8;
/**
 * Number of paused connections that each later turn resumes, by rank. Connections are read in the order in which they
 * are resumed. Beyond it: the others wait for later turns.
 */
const RESUMED_PER_TURN = { trusted: 16, proven: 8, new: 8, other: 4 };

/**
 * The rank of a connection: `trusted` has been answered TRUSTED_ANSWERS times and `proven` at least once, both without
 * pipelining; `new` has sent no request yet; `other` has pipelined, or is sending its first request.
 */
type Rank = keyof typeof RESUMED_PER_TURN;
const RANKS = Object.keys(RESUMED_PER_TURN) as Rank[];

interface Connection {
    answers: number;
    hasPipelined: boolean;
    hasSent: boolean;
}

export interface HttpReadingTurns {
    /** Adds a connection that has been accepted. */
    opened(socket: Socket): void;
    /** Records that the connection has sent something that is processed now: a request, or a part of one. */
    read(socket: Socket): void;
    /** Records that the connection has sent a request before the previous one was answered. */
    pipelined(socket: Socket): void;
    /** Records that all requests of the connection have been answered. */
    answered(socket: Socket): void;
    closed(socket: Socket): void;
}

/**
 * Reads connections in turns while they send more than the event loop processes in READING_MS. Without this, one turn
 * of the event loop would read all connections that have data, and process everything that each of them has sent.
 * Hundreds of connections that send a hundred requests, or thousands of small chunks, at the same moment would then
 * make all other clients wait for seconds.
 */
export function httpReadingTurns(): HttpReadingTurns {
    const open = new Map<Socket, Connection>();
    const paused = pausedConnections(open);
    /** The connections that this turn has read. */
    const hasRead = new Set<Socket>();
    /** `performance.now()` at the first read of this turn; undefined before that. */
    let began: number | undefined;
    /** `performance.now()` at the last read. */
    let lastRead = 0;
    let isPaused = false;

    function nextTurn(): boolean {
        const tookMs = began === undefined ? 0 : lastRead - began;
        began = undefined;
        isPaused = false;
        if (tookMs > REST_AFTER_READING_MS) {
            rest(tookMs);
            return true;
        }
        hasRead.clear();
        return paused.resumeSome() > 0;
    }

    return {
        opened(socket) {
            open.set(socket, { answers: 0, hasPipelined: false, hasSent: false });
            connectionAccepted();
            if (paused.any()) paused.pause(socket);
        },
        read(socket) {
            const connection = open.get(socket);
            if (connection) connection.hasSent = true;
            hasRead.add(socket);
            lastRead = performance.now();
            if (began === undefined) {
                began = lastRead;
                eachTurn(nextTurn);
            } else if (!isPaused && lastRead - began > READING_MS) {
                isPaused = true;
                paused.pauseAll(hasRead);
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
            paused.remove(socket);
        },
    };
}

/** The connections of `open` that are not read at present, in one queue per rank. */
function pausedConnections(open: ReadonlyMap<Socket, Connection>) {
    let queues = emptyQueues();
    /** The connections that this turn has resumed, each with the end of its queue that it was at. */
    const resumed = new Map<Socket, 'first' | 'last'>();
    /** The order in which the next turn resumes the ranks. It rotates with each turn, so that no rank waits for long. */
    let order = [...RANKS];

    function pause(socket: Socket): void {
        const connection = open.get(socket);
        if (!connection || RANKS.some((rank) => queues[rank].has(socket))) return;
        stopReading(socket);
        queues[rankOf(connection)].add(socket);
    }

    function resume(rank: Rank): void {
        for (const [socket, end] of nextOf(rank, Array.from(queues[rank]))) {
            queues[rank].delete(socket);
            resumed.set(socket, end);
            startReading(socket);
        }
    }

    return {
        pause,
        any: () => RANKS.some((rank) => queues[rank].size > 0),
        /**
         * Pauses all connections. Those that were resumed but not read keep their place in the queue; those that were
         * read go to its end.
         */
        pauseAll(hasRead: ReadonlySet<Socket>): void {
            const behind = queues;
            queues = emptyQueues();
            const unread = Array.from(resumed).filter(([socket]) => !hasRead.has(socket));
            for (const [socket, end] of unread) if (end === 'first') pause(socket);
            for (const rank of RANKS) for (const socket of behind[rank]) queues[rank].add(socket);
            for (const [socket, end] of unread.reverse()) if (end === 'last') pause(socket);
            for (const socket of open.keys()) if (!hasRead.has(socket)) pause(socket);
            for (const socket of hasRead) pause(socket);
        },
        /** Resumes the connections whose turn it is. Returns their number. */
        resumeSome(): number {
            resumed.clear();
            for (const rank of order) resume(rank);
            order = [...order.slice(1), ...order.slice(0, 1)];
            return resumed.size;
        },
        remove(socket: Socket): void {
            for (const rank of RANKS) queues[rank].delete(socket);
            resumed.delete(socket);
        },
    };
}

function emptyQueues(): Record<Rank, Set<Socket>> {
    return { trusted: new Set(), proven: new Set(), new: new Set(), other: new Set() };
}

/**
 * Returns the connections of a rank that a turn resumes, in order. Half of those with the rank `new` are the newest
 * ones, and they come first: a client that has just connected does not wait for hundreds that connected before it.
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
