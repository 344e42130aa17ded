import type { Socket } from 'node:net';

/** The parts of Node's HTTP parser that are used here. `kOnExecute` is the name of the function that it calls. */
interface Parser {
    constructor: { kOnExecute: number };
    [onExecute: number]: ((...results: unknown[]) => void) | undefined;
}

/**
 * Calls `onRead` whenever the HTTP parser of the socket has parsed what was read, even if this was only a part of a
 * header, or nothing that belongs to a request. Must be called when the connection is accepted.
 */
export function onEachRead(socket: Socket, onRead: () => void): void {
    // Not public: the parser reads from the socket's handle, so the socket emits no `data`.
    const { parser } = socket as Socket & { parser?: Parser | null };
    if (!parser) return;
    const { kOnExecute } = parser.constructor;
    const onExecute = parser[kOnExecute];
    parser[kOnExecute] = (...results) => {
        onRead();
        onExecute?.(...results);
    };
}
