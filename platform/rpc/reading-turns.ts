import type { Socket } from 'node:net';

/** Connections without a token that are read at a time. */
const MAX_READING = 8;
/** How often others have their turn, in milliseconds. */
const TURN_EVERY_MS = 10;

export interface ReadingTurns {
    /** Reads this connection too, and makes another one wait where too many are read. */
    add(socket: Socket): void;
    /** It needs no turns any more. */
    remove(socket: Socket): void;
    stop(): void;
}

/**
 * Lets a few connections at a time be read, in turns. All that has come over them is read in one turn of the event loop, and
 * HTTP/2 gives no hook for most frames: without this, hundreds of connections that all send at once would hold it up.
 */
export function readingTurns(): ReadingTurns {
    const reading = new Set<Socket>();
    const waiting = new Set<Socket>();

    function begin(socket: Socket): void {
        waiting.delete(socket);
        reading.add(socket);
        handleOf(socket)?.readStart();
    }

    function pause(socket: Socket): void {
        reading.delete(socket);
        waiting.add(socket);
        handleOf(socket)?.readStop();
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
            if (waiting.delete(socket)) handleOf(socket)?.readStart();
        },
        stop: () => clearInterval(timer),
    };
}

function handleOf(socket: Socket): { readStart(): void; readStop(): void } | undefined {
    // Not public: HTTP/2 and TLS read from the handle, where pause() of the socket has no effect.
    return (socket as Socket & { _handle?: { readStart(): void; readStop(): void } | null })._handle ?? undefined;
}
