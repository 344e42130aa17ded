import type { Server } from 'node:http';
import {
    type ConnectionBounds,
    type Connections,
    CUT_REASONS,
    watchConnections,
} from '../../platform/http/http-connections.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

/**
 * Maximum number of open connections. Each takes about 20 KiB while it is idle. Beyond it: one is cut that has begun no
 * request for longest, and has none in progress or has not sent all of it.
 */
const MAX_CONNECTIONS = 10_000;
/** Further connections that are accepted while no connection is idle. Beyond it: the new connection is dropped. */
const RESERVE = 100;
/** Maximum number of requests in progress on one connection. Beyond it: the connection is cut. */
const MAX_REQUESTS_IN_PROGRESS = 64;
/**
 * Maximum number of requests in progress that were pipelined behind another one, about 8 MiB. Beyond it: the connection
 * that pipelines a further one is cut.
 */
const MAX_PIPELINED = 4_096;
/**
 * Maximum number of bytes of unsent answers: per connection, per client address, and in total. Beyond it: the
 * connections that have waited longest are cut.
 */
const MAX_UNSENT_BYTES = { connection: 8 << 20, address: 32 << 20, total: 64 << 20 };

/** Limits the memory that clients hold through their connections, and counts the connections that are cut. */
export function gatewayConnections(server: Server, metrics: Metrics): Connections {
    const cutOff = metrics.counter({
        name: 'http_connections_cut_total',
        help: 'Connections that the gateway cut, by reason: too many requests in progress (requests), too many unsent bytes (unsent), a stalled reader (stalled), or idle when room was needed (idle).',
        labels: ['reason'],
    });
    for (const reason of CUT_REASONS) cutOff.inc({ reason }, 0);
    const bounds: ConnectionBounds = {
        connections: MAX_CONNECTIONS,
        reserve: RESERVE,
        requests: MAX_REQUESTS_IN_PROGRESS,
        pipelined: MAX_PIPELINED,
        unsentBytes: MAX_UNSENT_BYTES,
    };
    const connections = watchConnections(server, bounds, (reason) => cutOff.inc({ reason }));
    metrics.gauge(
        'http_unsent_bytes',
        'Bytes of answers that clients had not read at the last measurement.',
        connections.unsentBytes,
    );
    return connections;
}
