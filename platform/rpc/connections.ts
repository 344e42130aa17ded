import type { IncomingHttpHeaders, ServerHttp2Session } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { listen } from '../process/held-ports.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { arrivals } from './bounds/arrivals.ts';
import { BOUNDS, type ConnectionBounds } from './bounds/connection-bounds.ts';
import { type CutReason, connectionMetrics } from './bounds/connection-metrics.ts';
import { type OpenedStream, onOpenedStream } from './bounds/opened-streams.ts';
import { type UnknownConnections, unknownConnections } from './bounds/unknown-connections.ts';

/** The client side of a connection, as grpc-js and HTTP/2 describe it. */
export interface Client {
    remoteAddress?: string | undefined;
    remotePort?: number | undefined;
}

export interface Connections {
    port: number;
    /** True if a valid token has come over this connection. */
    isKnown(client: Client): boolean;
    /** Stops accepting connections. */
    close(): void;
    /** Cuts the unknown connections, even during their handshake, and stops watching streams. */
    end(): void;
}

type Cut = (socket: Socket, reason: CutReason) => void;
type HasToken = (headers: IncomingHttpHeaders) => boolean;

/**
 * Listens, and passes connections to `accept`. A connection beyond the bounds is closed before it costs a handshake. A
 * connection is unknown until one of its streams has a valid token. An unknown connection is cut as soon as it exceeds
 * the bounds of unknown connections.
 */
export async function acceptConnections(options: {
    host: string;
    /** 0: any free port. */
    port: number;
    accept(socket: Socket): void;
    /** True if the headers of a stream contain a valid token. */
    hasToken: HasToken;
    metrics: Metrics;
    bounds?: Partial<ConnectionBounds>;
}): Promise<Connections> {
    const bounds = { ...BOUNDS, ...options.bounds };
    const open = new Set<Socket>();
    const counts = () => ({ open: open.size, unknown: unknown.count() });
    const { countCut } = connectionMetrics(options.metrics, counts);
    const cut: Cut = (socket, reason) => {
        countCut(reason);
        socket.destroy();
    };
    const unknown = unknownConnections(bounds, cut);
    const arrive = arrivals((socket) => {
        unknown.read(socket);
        options.accept(socket);
    });
    const server = createServer((socket) => {
        socket.on('error', () => {}); // 'close' follows, and each user of the socket listens to both
        const { remoteAddress: address } = socket; // undefined if the socket has already closed
        if (address === undefined) {
            socket.destroy();
            return;
        }
        const reason = open.size >= bounds.connections ? 'connections' : unknown.refusalFor(address);
        if (reason) {
            cut(socket, reason);
            return;
        }
        const name = nameOf(socket);
        open.add(socket);
        unknown.enter(name, socket, address);
        socket.on('close', () => {
            open.delete(socket);
            unknown.remove(name);
        });
        arrive(socket);
    });
    const port = await listen(server, options);
    const stopJudging = judgeStreams({ port, unknown, hasToken: options.hasToken, cut });
    return {
        port,
        isKnown: (client) => !unknown.has(nameOf(client)),
        close: () => void server.close(),
        end() {
            stopJudging();
            unknown.end();
        },
    };
}

/**
 * Watches the streams that clients open on unknown connections to `port`. A stream with a valid token makes its
 * connection known. If a stream exceeds a bound, its connection is cut. Returns a function that stops the watch.
 */
function judgeStreams(options: {
    port: number;
    unknown: UnknownConnections;
    hasToken: HasToken;
    cut: Cut;
}): () => void {
    const { port, unknown, hasToken, cut } = options;
    const known = new WeakSet<ServerHttp2Session>();
    return onOpenedStream(({ session, headers }: OpenedStream) => {
        if (known.has(session) || session.socket.localPort !== port) return;
        const name = nameOf(session.socket);
        if (!unknown.has(name) || hasToken(headers)) {
            unknown.know(name);
            known.add(session);
            return;
        }
        const excess = unknown.addStream(name);
        if (!excess) return;
        session.removeAllListeners('stream'); // grpc-js would answer the stream, which throws on a closed session
        session.destroy(); // before its socket: otherwise Node would still process the data that it has received
        cut(excess.socket, excess.reason);
    });
}

function nameOf({ remoteAddress, remotePort }: Client): string {
    return `${remoteAddress} ${remotePort}`;
}
