import { isIP } from 'node:net';
import { type ChannelOptions, Client } from '@grpc/grpc-js';
import { overloaded } from '../batch.ts';
import type { CallContext } from '../context.ts';
import type { AppError } from '../errors.ts';
import { InFlight } from './bounds/in-flight.ts';
import type { MethodInfo, Transport } from './definition.ts';
import { FrameStream } from './frames/frame-stream.ts';
import { FRAME_BYTES, MAX_MESSAGE_BYTES } from './frames/frames.ts';
import type { ReplicaAddress } from './resolve.ts';
import { channelCredentials, type Tls } from './tls.ts';
import { unaryTransport } from './unary.ts';

/** Larger requests travel alone: in a frame they would delay the calls behind them. */
const MAX_FRAMED_BYTES = 256 << 10;

export type ReplicaEvent = 'opened' | 'lost' | 'unreachable';

export interface PeerOptions {
    address: ReplicaAddress;
    service_token: string;
    tls: Tls | undefined;
    /** The streams of all endpoints that have not ended, for the search for overdue calls. */
    streams: Set<FrameStream>;
    /** lost: the stream has ended, or will. unreachable: it could not be opened, for this reason. */
    on(event: ReplicaEvent, reason?: AppError): void;
}

/**
 * One process of a service: its stream, which is opened at once, and plain calls for messages that are too large for
 * frames.
 */
export class Replica {
    readonly in_flight = new InFlight();
    readonly #options: PeerOptions;
    readonly #grpc: Client;
    readonly #alone: Transport;
    #stream: FrameStream;
    #retired = false;

    constructor(options: PeerOptions) {
        this.#options = options;
        this.#grpc = new Client(
            options.address.target,
            channelCredentials(options.tls),
            channelOptions(options.address),
        );
        this.#alone = unaryTransport(this.#grpc, options.service_token);
        this.#stream = this.#open();
    }

    get state(): FrameStream['state'] {
        return this.#stream.state;
    }

    call(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        if (request.byteLength <= MAX_FRAMED_BYTES) return this.#stream.call(method, request, context);
        return this.#callAlone(method, request, context);
    }

    /** Opens another stream if this one is closing or has ended. */
    reopen(): void {
        if (this.state === 'closing' || this.state === 'ended') this.#stream = this.#open();
    }

    /** Completes its calls, then closes the connection for good. */
    retire(): void {
        this.#retired = true;
        this.#stream.retire();
        if (this.state === 'ended') this.#grpc.close();
    }

    #open(): FrameStream {
        const { service_token, streams } = this.#options;
        const opened = new FrameStream({
            grpc: this.#grpc,
            service_token,
            in_flight: this.in_flight,
            changed: (stream) => this.#changed(stream),
        });
        streams.add(opened);
        return opened;
    }

    #changed(stream: FrameStream): void {
        if (stream.state === 'ended') this.#options.streams.delete(stream);
        if (stream !== this.#stream) return; // one that is draining
        if (this.#retired) {
            if (stream.state === 'ended') this.#grpc.close();
        } else if (stream.state === 'open') this.#options.on('opened');
        else if (stream.was_open) this.#options.on('lost');
        else this.#options.on('unreachable', stream.ended_by);
    }

    async #callAlone(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        if (!this.in_flight.admits(request.byteLength)) throw overloaded('rpc_calls');
        this.in_flight.add(request.byteLength);
        try {
            return await this.#alone(method, request, context);
        } finally {
            this.in_flight.remove(request.byteLength);
        }
    }
}

function channelOptions({ host }: ReplicaAddress): ChannelOptions {
    return {
        'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
        'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
        // An endpoint that restarts is reconnected before its waiting calls time out; gRPC adds up to a fifth to the
        // pause.
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 500,
        // An endpoint whose machine is gone, and that therefore is silent, is given up within 15 s.
        'grpc.keepalive_time_ms': 10_000,
        'grpc.keepalive_timeout_ms': 5_000,
        // Long answers come in one burst; gRPC's default of 64 KiB would cost a round trip each.
        'grpc-node.flow_control_window': FRAME_BYTES,
        ...(isIP(host) === 0 && { 'grpc.ssl_target_name_override': host, 'grpc.default_authority': host }),
    };
}
