import type { Server } from 'node:http';
import {
    type ConnectionBounds,
    type Connections,
    CUT_REASONS,
    watchConnections,
} from '../../platform/http/http-connections.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

/** Connections at once; each takes some 20 KiB while it is idle. */
const MAX_CONNECTIONS = 10_000;
const RESERVE = 100;
const MAX_REQUESTS_IN_PROGRESS = 64;
const MAX_UNSENT_BYTES = { connection: 8 << 20, address: 32 << 20, total: 64 << 20 };

/** Bounds what clients hold of a gateway by their connections, and counts those that are cut. */
export function gatewayConnections(server: Server, metrics: Metrics): Connections {
    const cut_off = metrics.counter({
        name: 'http_connections_cut_total',
        help: 'Connections closed: too many requests in progress, too many unsent bytes, a stalled reader, or idle when room was needed.',
        labels: ['reason'],
    });
    for (const reason of CUT_REASONS) cut_off.inc({ reason }, 0);
    const bounds: ConnectionBounds = {
        connections: MAX_CONNECTIONS,
        reserve: RESERVE,
        requests: MAX_REQUESTS_IN_PROGRESS,
        unsent_bytes: MAX_UNSENT_BYTES,
    };
    const connections = watchConnections(server, bounds, (reason) => cut_off.inc({ reason }));
    metrics.gauge(
        'http_unsent_bytes',
        'Bytes of answers that waited for their readers at the last measurement.',
        connections.unsentBytes,
    );
    return connections;
}
