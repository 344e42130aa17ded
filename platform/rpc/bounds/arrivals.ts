import type { Socket } from 'node:net';

/**
 * Maximum number of new connections that one turn of the event loop accepts. Each costs up to a millisecond, with TLS
 * two. Beyond it: the others wait for a later turn.
 */
const MAX_PER_TURN = 4;

/**
 * Passes a connection to `accept` when its client has sent something (clients of HTTP/2 and TLS send first), and only a
 * few connections in each turn of the event loop. So other work continues even if many connections arrive at once.
 */
export function arrivals(accept: (socket: Socket) => void): (socket: Socket) => void {
    /** Connections to accept. Their number is bounded by that of unknown connections. */
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
                socket.destroy(); // the client has closed it without sending anything
                return;
            }
            waiting.push(socket);
            if (waiting.length === 1) setImmediate(acceptSome);
        });
    };
}
