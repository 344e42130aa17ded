import { Balancer } from './balancer.ts';
import type { Transport } from './definition.ts';
import type { FrameStream } from './frames/frame-stream.ts';
import { Replica } from './replica.ts';
import { type ReplicaAddress, resolveAddresses } from './resolve.ts';
import type { Tls } from './tls.ts';

/** How often endpoints are looked up, in milliseconds. */
const REFRESH_MS = 5_000;
/** How often overdue calls are looked for, in milliseconds. */
const SWEEP_MS = 50;

export interface Connection {
    transport: Transport;
    /** The number of known processes of the service, by whether they can be called. */
    replicas(): { open: number; not_open: number };
    /** Throws the reason until a process of the service has been connected for the first time. */
    assertReached(): void;
    /** Waits for the calls in progress, then closes. */
    close(): void;
}

export interface ConnectOptions {
    /** host:port, or several of these separated by commas. */
    address: string;
    service_token: string;
    /** Clear text if absent. */
    tls: Tls | undefined;
    resolve?(address: string): Promise<ReplicaAddress[]>;
    refresh_ms?: number;
}

/** Connects to all processes that serve a service at `address`. They may start later. */
export function connect(options: ConnectOptions): Connection {
    const { address, service_token, tls, resolve = resolveAddresses, refresh_ms = REFRESH_MS } = options;
    const streams = new Set<FrameStream>();
    const balancer = new Balancer({
        resolve: () => resolve(address),
        openReplica: (address, on) => new Replica({ address, service_token, tls, streams, on }),
        refresh_ms,
    });
    let is_closed = false;
    const sweeper = setInterval(() => {
        const now = performance.now();
        balancer.sweep(now);
        for (const stream of streams) stream.sweep(now);
        if (is_closed && streams.size === 0) clearInterval(sweeper);
    }, SWEEP_MS).unref();
    return {
        transport: (method, request, context) => balancer.call(method, request, context),
        replicas: () => balancer.replicas(),
        assertReached: () => balancer.assertReached(),
        close() {
            is_closed = true;
            balancer.close();
        },
    };
}
