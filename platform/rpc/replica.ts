import { isIP } from 'node:net';
import { type ChannelOptions, Client } from '@grpc/grpc-js';
import type { CallContext } from '../context.ts';
import type { AppError } from '../errors.ts';
import { overloaded } from '../gather.ts';
import type { EncodedTransport, MethodInfo } from './definition.ts';
import { FrameStream } from './frames/frame-stream.ts';
import { FRAME_BYTES, MAX_MESSAGE_BYTES } from './frames/frames.ts';
import { InFlight } from './in-flight.ts';
import type { ReplicaAddress } from './resolve.ts';
import { channelCredentials, type Tls } from './tls.ts';
import { unaryTransport } from './unary.ts';

/**
 * Maximum size of a request in a frame, in bytes. In a frame, a larger one would delay the calls behind it. Beyond it:
 * the request is sent as a call of its own.
 */
const MAX_FRAMED_BYTES = 256 << 10;

export type ReplicaEvent = 'opened' | 'lost' | 'unreachable';

interface ReplicaOptions {
    /** The name of the service, for errors. */
    service: string;
    address: ReplicaAddress;
    serviceToken: string;
    tls: Tls | undefined;
    /** False: each call is a plain unary call. */
    frames: boolean;
    /** The streams of all replicas that have not ended. connect() checks their calls for expired deadlines. */
    streams: Set<FrameStream>;
    /** lost: the stream has ended or is closing. unreachable: it could not be opened, for this reason. */
    on(event: ReplicaEvent, reason?: AppError): void;
}

/**
 * One replica of a service: a stream of frames, which is opened at once, and plain calls for messages that are too
 * large for a frame.
 */
export class Replica {
    readonly inFlight = new InFlight();
    readonly #options: ReplicaOptions;
    readonly #grpc: Client;
    readonly #alone: EncodedTransport;
    #stream: FrameStream;
    #retired = false;

    constructor(options: ReplicaOptions) {
        this.#options = options;
        this.#grpc = new Client(
            options.address.target,
            channelCredentials(options.tls),
            channelOptions(options.address),
        );
        this.#alone = unaryTransport(this.#grpc, options);
        this.#stream = this.#open();
    }

    get state(): FrameStream['state'] {
        return this.#stream.state;
    }

    call(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        const isFramed = this.#options.frames && request.byteLength <= MAX_FRAMED_BYTES;
        if (isFramed) return this.#stream.call(method, request, context);
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
        const { service, serviceToken, streams } = this.#options;
        const opened = new FrameStream({
            grpc: this.#grpc,
            service,
            serviceToken,
            inFlight: this.inFlight,
            changed: (stream) => this.#changed(stream),
        });
        streams.add(opened);
        return opened;
    }

    #changed(stream: FrameStream): void {
        if (stream.state === 'ended') this.#options.streams.delete(stream);
        if (stream !== this.#stream) return; // an older stream, which is draining
        if (this.#retired) {
            if (stream.state === 'ended') this.#grpc.close();
        } else if (stream.state === 'open') this.#options.on('opened');
        else if (stream.wasOpen) this.#options.on('lost');
        else this.#options.on('unreachable', stream.endedBy);
    }

    async #callAlone(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        if (!this.inFlight.admits(request.byteLength)) throw overloaded('rpc_calls');
        this.inFlight.add(request.byteLength);
        try {
            return await this.#alone(method, request, context);
        } finally {
            this.inFlight.remove(request.byteLength);
        }
    }
}

function channelOptions({ host }: ReplicaAddress): ChannelOptions {
    return {
        'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
        'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
        // A replica that restarts is reconnected before its waiting calls time out; gRPC adds up to a fifth to the
        // pause.
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 500,
        // If the machine of a replica is lost, the silent connection is closed within 15 s.
        'grpc.keepalive_time_ms': 10_000,
        'grpc.keepalive_timeout_ms': 5_000,
        // A long answer comes in one burst. With gRPC's default of 64 KiB, every 64 KiB would cost a round trip.
        'grpc-node.flow_control_window': FRAME_BYTES,
        ...(isIP(host) === 0 && { 'grpc.ssl_target_name_override': host, 'grpc.default_authority': host }),
    };
}
