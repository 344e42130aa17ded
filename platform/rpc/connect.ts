import { Client } from '@grpc/grpc-js';
import type { Transport } from './definition.ts';
import { frameTransport } from './frame-client.ts';
import { MAX_MESSAGE_BYTES } from './frames.ts';
import { channelCredentials, type Tls } from './tls.ts';
import { unaryTransport } from './unary.ts';

/** Larger requests go alone: in a frame they would hold up the calls behind them. */
const MAX_FRAMED_BYTES = 256 << 10;

export interface Connection {
    transport: Transport;
    close(): void;
}

/** Connects to the process that serves a service at `address` (host:port). It need not be there yet. */
export function connect({
    address,
    service_token,
    tls,
}: {
    address: string;
    service_token: string;
    /** In clear text without. */
    tls: Tls | undefined;
}): Connection {
    const grpc = new Client(address, channelCredentials(tls), {
        'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
        'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
        // A peer that restarts is found again within a second.
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.min_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 1_000,
    });
    const framed = frameTransport(grpc, service_token);
    const alone = unaryTransport(grpc, service_token);
    return {
        transport: (method, request, context) =>
            (request.byteLength > MAX_FRAMED_BYTES ? alone : framed.transport)(method, request, context),
        close() {
            framed.close();
            grpc.close();
        },
    };
}
