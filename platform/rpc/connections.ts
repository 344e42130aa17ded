import { createServer, type Socket } from 'node:net';
import { listen } from '../process/held-ports.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Maximum number of connections of the gRPC port of one process. Beyond it: a new connection is closed at once. */
const MAX_CONNECTIONS = 1_024;
/**
 * How long a connection may last without a call that has a valid token, in milliseconds, including its TLS handshake.
 * Beyond it: the connection is closed.
 */
const AUTHENTICATE_MS = 30_000;

export interface ConnectionBounds {
    connections: number;
    authenticateMs: number;
}

/** The client side of a connection, as Node and grpc-js describe it. */
export interface Client {
    remoteAddress?: string | undefined;
    remotePort?: number | undefined;
}

interface Connections {
    port: number;
    /** Records that a call with a valid token has come over this connection. */
    authenticated(client: Client): void;
    /** Stops accepting connections. */
    close(): void;
    /** Closes the connections without a valid token, even during their handshake. */
    end(): void;
}

/** Listens, and passes connections to `accept`. Closes those beyond the bounds. */
export async function acceptConnections(options: {
    host: string;
    /** 0: any free port. */
    port: number;
    accept(socket: Socket): void;
    metrics: Metrics;
    bounds: Partial<ConnectionBounds>;
}): Promise<Connections> {
    const { connections = MAX_CONNECTIONS, authenticateMs = AUTHENTICATE_MS } = options.bounds;
    const cut = options.metrics.counter({
        name: 'grpc_connections_cut_total',
        help: 'Connections of the gRPC port that were closed: the process had too many (`connections`), or no valid token came in time (`time`).',
        labels: ['reason'],
    });
    for (const reason of ['connections', 'time']) cut.inc({ reason }, 0);

    /** The connections over which no valid token has come yet. */
    const unknown = new Map<string, { socket: Socket; timer: NodeJS.Timeout }>();
    function forget(name: string): void {
        clearTimeout(unknown.get(name)?.timer);
        unknown.delete(name);
    }

    const server = createServer((socket) => {
        const name = nameOf(socket);
        const timer = setTimeout(() => {
            cut.inc({ reason: 'time' });
            socket.destroy();
        }, authenticateMs);
        unknown.set(name, { socket, timer: timer.unref() });
        socket.on('error', () => {}); // 'close' follows, and each user of the socket listens to both
        socket.on('close', () => forget(name));
        options.accept(socket);
    });
    server.maxConnections = connections;
    server.on('drop', () => cut.inc({ reason: 'connections' }));
    const port = await listen(server, options);
    return {
        port,
        authenticated: (client) => forget(nameOf(client)),
        close: () => void server.close(),
        end() {
            for (const { socket } of unknown.values()) socket.destroy();
        },
    };
}

function nameOf({ remoteAddress, remotePort }: Client): string {
    return `${remoteAddress} ${remotePort}`;
}
