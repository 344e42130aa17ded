/**
 * Maximum number of connections of one process, known and unknown together. Beyond it: the new connection is closed
 * before its TLS handshake.
 */
const MAX_CONNECTIONS = 4_096;
/**
 * Maximum number of unknown connections, which have not made a call with a valid token yet. Beyond it: the new
 * connection is closed before its TLS handshake.
 */
const MAX_UNKNOWN = 512;
/**
 * Maximum number of unknown connections from one address. Beyond it: the new connection is closed before its TLS
 * handshake.
 */
const MAX_UNKNOWN_PER_ADDRESS = 64;
/**
 * How long a connection may stay unknown, in milliseconds, including its TLS handshake. Beyond it: the connection is
 * closed.
 */
const UNKNOWN_MS = 30_000;
/**
 * Maximum number of bytes that an unknown connection may send, including its TLS handshake. Beyond it: the connection
 * is cut.
 */
const MAX_UNKNOWN_BYTES = 128 << 10;
/** Maximum number of streams that an unknown connection may open. Beyond it: the connection is cut. */
const MAX_UNKNOWN_STREAMS = 160;

/** A rate: `burst` times at once, and `perSecond` times a second in the long run. */
export interface Rate {
    burst: number;
    perSecond: number;
}

/**
 * Rate of connections that are opened and closed without a valid token, from one address. Beyond it: the new connection
 * is closed before its TLS handshake.
 */
const CONNECTIONS_OF_ADDRESS = { burst: 128, perSecond: 64 } as const;
/**
 * Rate of such connections from all addresses together. Beyond it: the new connection is closed before its TLS
 * handshake.
 */
const CONNECTIONS_OF_ALL = { burst: 1_024, perSecond: 256 } as const;
/**
 * Rate of streams that are opened without a valid token, from one address. Each takes 0.1 to 0.2 ms of the event loop.
 * A client with a wrong token that makes its calls one after the other gets `unauthenticated` for each of them, up to
 * the burst. Beyond it: the connection is cut.
 */
const STREAMS_OF_ADDRESS = { burst: 160, perSecond: 64 } as const;
/** Rate of such streams from all addresses together. Beyond it: the connection is cut. */
const STREAMS_OF_ALL = { burst: 256, perSecond: 512 } as const;

export interface ConnectionBounds {
    connections: number;
    unknown: number;
    unknownPerAddress: number;
    unknownMs: number;
    unknownBytes: number;
    unknownStreams: number;
    connectionRates: { address: Rate; total: Rate };
    streamRates: { address: Rate; total: Rate };
}

export const BOUNDS: ConnectionBounds = {
    connections: MAX_CONNECTIONS,
    unknown: MAX_UNKNOWN,
    unknownPerAddress: MAX_UNKNOWN_PER_ADDRESS,
    unknownMs: UNKNOWN_MS,
    unknownBytes: MAX_UNKNOWN_BYTES,
    unknownStreams: MAX_UNKNOWN_STREAMS,
    connectionRates: { address: CONNECTIONS_OF_ADDRESS, total: CONNECTIONS_OF_ALL },
    streamRates: { address: STREAMS_OF_ADDRESS, total: STREAMS_OF_ALL },
};
