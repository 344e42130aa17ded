import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pickPort } from '../../../../deploy/local/ports.ts';

/** A direction through the proxy: what clients send, or what they receive. */
type Direction = 'requests' | 'answers';

export interface TcpProxy {
    /** Port for clients, on 127.0.0.1. It never changes. */
    port: number;
    /** Sends new connections to this port from now on. */
    pointAt(port: number): void;
    /** Delays every byte by this many milliseconds, in both directions. */
    delay(ms: number): void;
    /** Keeps back every byte in these directions until heal(). Connections stay open, and new ones are accepted. */
    blackHole(...directions: Direction[]): void;
    /** Refuses new connections until heal(). */
    refuse(): Promise<void>;
    /** Resets all connections. */
    cut(): void;
    /** Ends delays, black holes and refusals. Bytes that were kept back are delivered, as TCP would repeat them. */
    heal(): Promise<void>;
    close(): Promise<void>;
}

interface Fault {
    delayMs: number;
    held: ReadonlySet<Direction>;
}

/** One direction of one connection. */
interface Lane {
    flush(): void;
}

/** Starts a TCP proxy on 127.0.0.1 that can simulate a bad network. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
    const port = await pickPort();
    const fault: Fault = { delayMs: 0, held: new Set() };
    const sockets = new Set<Socket>();
    const lanes = new Set<Lane>();
    let upstreamPort = target;
    const accept = (client: Socket): void => {
        const upstream = connect({ host: '127.0.0.1', port: upstreamPort, noDelay: true, allowHalfOpen: true });
        const own = [
            lane({ from: client, to: upstream, fault, direction: 'requests' }),
            lane({ from: upstream, to: client, fault, direction: 'answers' }),
        ];
        for (const one of own) lanes.add(one);
        for (const socket of [client, upstream]) {
            sockets.add(socket);
            socket.on('error', () => {}); // the reset below passes the error on to the other side
            socket.on('close', (hadError) => {
                sockets.delete(socket);
                for (const one of own) lanes.delete(one);
                if (hadError) for (const peer of [client, upstream]) peer.resetAndDestroy();
            });
        }
    };
    let server = await listen(port, accept);
    return {
        port,
        pointAt: (next) => {
            upstreamPort = next;
        },
        delay: (ms) => {
            fault.delayMs = ms;
        },
        blackHole: (...directions) => {
            fault.held = new Set(directions);
        },
        refuse: async () => {
            if (!server.listening) return;
            const closed = once(server, 'close');
            server.close();
            if (sockets.size === 0) await closed;
        },
        cut: () => {
            for (const socket of sockets) socket.resetAndDestroy();
        },
        heal: async () => {
            Object.assign(fault, { delayMs: 0, held: new Set() });
            for (const one of lanes) one.flush();
            if (!server.listening) server = await listen(port, accept);
        },
        close: async () => {
            for (const socket of sockets) socket.resetAndDestroy();
            server.close();
        },
    };
}

async function listen(port: number, accept: (client: Socket) => void): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    server.listen({ host: '127.0.0.1', port });
    await once(server, 'listening');
    return server;
}

/** Forwards data in order: each piece when it is due, and none while this direction is held. */
function lane(options: { from: Socket; to: Socket; fault: Fault; direction: Direction }): Lane {
    const { from, to, fault, direction } = options;
    /** `bytes` is undefined for the end of the stream. */
    const waiting: Array<{ due: number; bytes: Buffer | undefined }> = [];
    let timer: NodeJS.Timeout | undefined;

    function flush(): void {
        clearTimeout(timer);
        timer = undefined;
        while (waiting[0] && !fault.held.has(direction)) {
            const wait = waiting[0].due - performance.now();
            if (wait > 0 && fault.delayMs > 0) {
                timer = setTimeout(flush, Math.ceil(wait));
                return;
            }
            const { bytes } = waiting.shift() ?? {};
            if (bytes === undefined) to.end();
            else if (!to.write(bytes)) from.pause();
        }
        if (waiting.length === 0 && !to.writableNeedDrain) from.resume();
    }

    const take = (bytes: Buffer | undefined): void => {
        waiting.push({ due: performance.now() + fault.delayMs, bytes });
        if (fault.held.has(direction)) from.pause();
        if (timer === undefined) flush();
    };
    from.on('data', take);
    from.on('end', () => take(undefined));
    to.on('drain', flush);
    to.on('close', () => clearTimeout(timer));
    return { flush };
}
