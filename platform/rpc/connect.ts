import { sweepWhileNeeded } from '../sweep.ts';
import { Balancer } from './balancer.ts';
import { encoding, type Transport } from './definition.ts';
import type { FrameStream } from './frames/frame-stream.ts';
import { Replica } from './replica.ts';
import { type ReplicaAddress, resolveAddresses } from './resolve.ts';
import type { Tls } from './tls.ts';

/** How often the addresses of the replicas are looked up, in milliseconds. */
const REFRESH_MS = 5_000;

export interface Connection {
    transport: Transport;
    /** The number of known replicas of the service, by whether they can be called. */
    replicas(): { open: number; not_open: number };
    /** Throws the reason if no replica of the service has been connected yet. */
    assertReached(): void;
    /** Waits for the calls in progress, then closes. */
    close(): void;
}

export interface ConnectOptions {
    /** The name of the service, for errors. */
    service: string;
    /** host:port, or several of these separated by commas. */
    address: string;
    serviceToken: string;
    /** Clear text if absent. */
    tls: Tls | undefined;
    /** False: sends each call as a plain unary call, and uses the frame stream only to know the state of a replica. */
    frames?: boolean;
    resolve?(address: string): Promise<ReplicaAddress[]>;
    refreshMs?: number | undefined;
    /** How long a call waits while no replica is connected, in milliseconds. Default: as long as WaitingCalls says. */
    waitMs?: number | undefined;
}

/** Connects to all replicas of the service at `address`. They may start later. */
export function connect(options: ConnectOptions): Connection {
    const {
        service,
        address,
        serviceToken,
        tls,
        frames = true,
        resolve = resolveAddresses,
        refreshMs = REFRESH_MS,
        waitMs,
    } = options;
    const streams = new Set<FrameStream>();
    const balancer = new Balancer({
        service,
        resolve: () => resolve(address),
        openReplica: (address, on) => new Replica({ service, address, serviceToken, tls, frames, streams, on }),
        refreshMs,
        waitMs,
    });
    let isClosed = false;
    sweepWhileNeeded((now) => {
        balancer.sweep(now);
        for (const stream of streams) stream.sweep(now);
        return !isClosed || streams.size > 0;
    });
    return {
        transport: encoding((method, request, context) => balancer.call(method, request, context)),
        replicas: () => balancer.replicas(),
        assertReached: () => balancer.assertReached(),
        close() {
            isClosed = true;
            balancer.close();
        },
    };
}
