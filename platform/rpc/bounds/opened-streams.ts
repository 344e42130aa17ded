import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

const CREATED = 'http2.server.stream.created';

/** A stream that a client has opened on an HTTP/2 server of this process. */
export interface OpenedStream {
    session: ServerHttp2Session;
    headers: IncomingHttpHeaders;
}

/**
 * Calls `opened` for each stream that a client opens, on every HTTP/2 server of the process. grpc-js has no hook for
 * this: it answers some calls before its interceptors run, and learns of a stream only later. When `opened` is called,
 * the frame that opens the stream is still being read. So closing the session stops the processing of everything that
 * was received after that frame. Returns a function that unsubscribes.
 */
export function onOpenedStream(opened: (stream: OpenedStream) => void): () => void {
    const listener = (message: unknown): void => {
        // Node's documentation of this channel describes the shape.
        const { stream, headers } = message as { stream: ServerHttp2Stream; headers: IncomingHttpHeaders };
        const { session } = stream;
        // A stream that a client has opened on a server belongs to a server session.
        if (session) opened({ session: session as ServerHttp2Session, headers });
    };
    subscribe(CREATED, listener);
    return () => void unsubscribe(CREATED, listener);
}
