import type { Socket } from 'node:net';

/** New connections that one turn of the event loop accepts. One costs up to a millisecond, with TLS two. */
const MAX_PER_TURN = 4;

/**
 * Passes a connection to `accept` when its client has sent something (clients of HTTP/2 and TLS send first), and only a
 * few in each turn of the event loop. So other work goes on between them, however many arrive at once.
 */
export function arrivals(accept: (socket: Socket) => void): (socket: Socket) => void {
    /** Bounded by the number of unknown connections. */
    let waiting: Socket[] = [];

    function acceptSome(): void {
        const next = waiting.slice(0, MAX_PER_TURN);
        waiting = waiting.slice(MAX_PER_TURN);
        if (waiting.length > 0) setImmediate(acceptSome);
        for (const socket of next) if (!socket.destroyed) accept(socket);
    }

    return (socket) => {
        socket.once('readable', () => {
            if (socket.readableLength === 0) {
                socket.destroy(); // its client has ended it without sending anything
                return;
            }
            waiting.push(socket);
            if (waiting.length === 1) setImmediate(acceptSome);
        });
    };
}
