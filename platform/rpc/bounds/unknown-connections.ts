import type { Socket } from 'node:net';
import type { ConnectionBounds } from './connection-bounds.ts';
import type { CutReason } from './connection-metrics.ts';
import { rateBound } from './rate-bound.ts';
import { readingTurns } from './reading-turns.ts';

/** How often the bytes of unknown connections are checked, in milliseconds. */
const SWEEP_MS = 10;

/** A connection over which no valid token has come yet. */
interface Entry {
    socket: Socket;
    address: string;
    /** Streams that it has opened. */
    streams: number;
    timer: NodeJS.Timeout;
}

export interface UnknownConnections {
    count(): number;
    /**
     * Returns the reason if a connection from this address must be refused. Otherwise counts the connection and returns
     * undefined.
     */
    refusalFor(address: string): CutReason | undefined;
    /** Adds a connection. `name` is the address and port of its client. */
    enter(name: string, socket: Socket, address: string): void;
    /** Reads the connection, in turns with the others. */
    read(socket: Socket): void;
    has(name: string): boolean;
    /** Counts a stream without a token. If there are too many, returns the connection to cut, and the reason. */
    addStream(name: string): { socket: Socket; reason: CutReason } | undefined;
    /** Records that the connection has presented a valid token. */
    know(name: string): void;
    /** Removes a connection that has closed. */
    remove(name: string): void;
    /** Closes all unknown connections, and stops the timers. */
    end(): void;
}

/**
 * Bounds what connections may do before a valid token comes over them. `cut` closes a connection that exceeds a bound.
 */
export function unknownConnections(
    bounds: ConnectionBounds,
    cut: (socket: Socket, reason: CutReason) => void,
): UnknownConnections {
    const unknown = new Map<string, Entry>();
    const byAddress = new Map<string, number>();
    const newConnections = rateBound(bounds.connectionRates);
    const newStreams = rateBound(bounds.streamRates);
    const turns = readingTurns();
    const sweep = setInterval(() => {
        for (const { socket } of unknown.values()) if (socket.bytesRead > bounds.unknownBytes) cut(socket, 'bytes');
    }, SWEEP_MS).unref();

    function remove(name: string): Entry | undefined {
        const entry = unknown.get(name);
        if (!entry) return undefined;
        clearTimeout(entry.timer);
        unknown.delete(name);
        turns.remove(entry.socket);
        const left = (byAddress.get(entry.address) ?? 0) - 1;
        if (left > 0) byAddress.set(entry.address, left);
        else byAddress.delete(entry.address);
        return entry;
    }

    return {
        count: () => unknown.size,
        has: (name) => unknown.has(name),
        remove,
        read: turns.add,
        refusalFor(address) {
            if (unknown.size >= bounds.unknown) return 'unknown';
            if ((byAddress.get(address) ?? 0) >= bounds.unknownPerAddress) return 'address';
            return newConnections.take(address) ? undefined : 'rate';
        },
        enter(name, socket, address) {
            const timer = setTimeout(() => cut(socket, 'time'), bounds.unknownMs).unref();
            unknown.set(name, { socket, address, streams: 0, timer });
            byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
        },
        addStream(name) {
            const entry = unknown.get(name);
            if (!entry) return undefined;
            const { socket, address } = entry;
            if (++entry.streams > bounds.unknownStreams) return { socket, reason: 'streams' };
            return newStreams.take(address) ? undefined : { socket, reason: 'rate' };
        },
        know(name) {
            const entry = remove(name);
            if (entry) newConnections.giveBack(entry.address);
        },
        end() {
            clearInterval(sweep);
            turns.stop();
            for (const { socket } of unknown.values()) socket.destroy();
        },
    };
}
