import type { Socket } from 'node:net';

interface Handle {
    /** Node's own wish: false while Node itself has stopped the reading. */
    reading?: boolean;
    readStart(): void;
    readStop(): void;
}

const leftUnread = new WeakSet<Socket>();

/**
 * Stops reading from a socket until startReading(). HTTP, HTTP/2 and TLS read from the socket's handle, which is not public:
 * pause() has no effect on HTTP/2 and TLS, and HTTP ends a pause whenever it wants the rest of a body.
 */
export function stopReading(socket: Socket): void {
    handleOf(socket)?.readStop();
}

/** Does nothing if leaveUnread() was called. */
export function startReading(socket: Socket): void {
    const handle = handleOf(socket);
    if (handle && handle.reading !== false && !leftUnread.has(socket)) handle.readStart();
}

/** Reads nothing more from a socket, whoever calls startReading(). */
export function leaveUnread(socket: Socket): void {
    leftUnread.add(socket);
    stopReading(socket);
}

function handleOf(socket: Socket): Handle | undefined {
    return (socket as Socket & { _handle?: Handle | null })._handle ?? undefined;
}
