import type { Socket } from 'node:net';
import { startReading, stopReading } from '../../http/socket-reading.ts';

/**
 * Maximum number of connections without a token that are read at a time. Beyond it: the others wait for the next turn.
 */
const MAX_READING = 8;
/** How often the connections take turns, in milliseconds. */
const TURN_EVERY_MS = 10;

export interface ReadingTurns {
    /** Reads this connection too. Pauses another one if too many are being read. */
    add(socket: Socket): void;
    /** Takes the connection out of the turns. It is then read without pauses. */
    remove(socket: Socket): void;
    stop(): void;
}

/**
 * Reads a few connections at a time, in turns. One turn of the event loop processes all data of a connection, and
 * HTTP/2 has no hook for most frames. Without this, hundreds of connections that send at once would block the event
 * loop.
 */
export function readingTurns(): ReadingTurns {
    const reading = new Set<Socket>();
    const waiting = new Set<Socket>();

    function begin(socket: Socket): void {
        waiting.delete(socket);
        reading.add(socket);
        startReading(socket);
    }

    function pause(socket: Socket): void {
        reading.delete(socket);
        waiting.add(socket);
        stopReading(socket);
    }

    const timer = setInterval(() => {
        if (waiting.size === 0) return;
        const next = [...waiting].slice(0, MAX_READING);
        const excess = Math.max(0, reading.size + next.length - MAX_READING);
        for (const socket of [...reading].slice(0, excess)) pause(socket);
        for (const socket of next) begin(socket);
    }, TURN_EVERY_MS).unref();

    return {
        add(socket) {
            const [oldest] = reading;
            if (oldest && reading.size >= MAX_READING) pause(oldest);
            reading.add(socket);
        },
        remove(socket) {
            reading.delete(socket);
            if (waiting.delete(socket)) startReading(socket);
        },
        stop: () => clearInterval(timer),
    };
}
