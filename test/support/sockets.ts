import type { Socket } from 'node:net';

/**
 * Resolves when the socket is closed. `once(socket, 'close')` rejects if the other side resets the connection, which
 * happens whenever it closes before it has read everything. The socket needs a listener for errors of its own.
 */
export function socketClosed(socket: Socket): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
    return promise;
}
