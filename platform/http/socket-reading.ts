import type { Socket } from 'node:net';

interface Handle {
    /** False while Node itself has stopped reading. */
    reading?: boolean;
    readStart(): void;
    readStop(): void;
}

/**
 * Stops reading from a socket until startReading(). It uses the socket's handle, which is not public: pause() has no
 * effect on HTTP/2 and TLS, and HTTP resumes a paused socket whenever it needs the rest of a body.
 */
export function stopReading(socket: Socket): void {
    handleOf(socket)?.readStop();
}

/** Reads from a socket again. */
export function startReading(socket: Socket): void {
    const handle = handleOf(socket);
    if (handle && handle.reading !== false) handle.readStart();
}

function handleOf(socket: Socket): Handle | undefined {
    return (socket as Socket & { _handle?: Handle | null })._handle ?? undefined;
}
