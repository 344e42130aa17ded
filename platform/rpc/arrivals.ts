import type { Socket } from 'node:net';

/** New connections that are accepted in one turn of the event loop: one costs up to a millisecond, with TLS two. */
const MAX_PER_TURN = 4;

/**
 * Hands a connection to `accept` when its client has sent something, as clients of HTTP/2 and of TLS do first, and only a few
 * in each turn of the event loop: however many arrive at once, whatever else the process does goes on between them.
 */
export function arrivals(accept: (socket: Socket) => void): (socket: Socket) => void {
    /** Not longer than the connections that may be unknown. */
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
                socket.destroy(); // its client has ended it, and has sent nothing
                return;
            }
            waiting.push(socket);
            if (waiting.length === 1) setImmediate(acceptSome);
        });
    };
}
