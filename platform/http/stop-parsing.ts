import type { Socket } from 'node:net';

type OnIncoming = (request: unknown, keepsAlive: boolean) => number;

/**
 * Stops parsing on a connection that was cut. Otherwise Node's parser would process all that it has read, up to
 * thousands of requests.
 */
export function stopParsingOnceDestroyed(socket: Socket): void {
    // Not public: no public function stops the parser in the middle of a read.
    const { parser } = socket as Socket & { parser?: { onIncoming: OnIncoming } | null };
    if (!parser) return;
    const { onIncoming } = parser;
    // 2 means that the connection is upgraded: the parser then stops reading.
    parser.onIncoming = (request, keepsAlive) => {
        const verdict = socket.destroyed ? 2 : onIncoming(request, keepsAlive);
        return socket.destroyed ? 2 : verdict;
    };
}
