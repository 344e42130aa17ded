import type { Socket } from 'node:net';
import {
    type ServiceDefinition as GrpcServiceDefinition,
    type handleBidiStreamingCall,
    type handleUnaryCall,
    Server,
} from '@grpc/grpc-js';
import type { Frame } from '../../proto/gen/rpc/v1/frames.ts';
import { asAppError } from '../errors.ts';
import type { CallerSettings } from '../process/caller-settings.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Admission, admission } from './admission.ts';
import { callers } from './callers.ts';
import { acceptConnections, type ConnectionBounds } from './connections.ts';
import type { BoundMethod } from './definition.ts';
import type { Dispatch } from './dispatch.ts';
import { FrameServer } from './frames/frame-server.ts';
import { asBuffer, FRAME_METHOD, MAX_MESSAGE_BYTES } from './frames/frames.ts';
import { addHealth } from './health.ts';
import { addReflection } from './reflection.ts';
import { runningCalls } from './running-calls.ts';
import { serverCredentials, type Tls } from './tls.ts';
import { contextFromMetadata, encodeStatus, trailersOf } from './unary.ts';

/** How long calls may still run after a stop began, in milliseconds. Beyond it: they are aborted. */
const DRAIN_MS = 10_000;

/**
 * Bounds of each connection. There is no maximum age, because a stream of frames lasts as long as its client. Beyond
 * it: HTTP/2 refuses a stream; an idle or silent connection is closed.
 */
const BOUNDS = {
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    // Each call of 256 KiB or more uses a stream of its own. All of these together have at most 64 MiB.
    'grpc.max_concurrent_streams': 1_024,
    // If the machine of a client is lost, the silent connection is closed within 15 s.
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
    // Applies to connections without a call or a stream of frames.
    'grpc.max_connection_idle_ms': 300_000,
} as const;

export interface ServeOptions {
    methods: BoundMethod[];
    dispatch: Dispatch;
    host: string;
    /** 0: any free port. */
    port: number;
    /** Tokens that this service's own processes send as `authorization: Bearer …`. Any of them is accepted. */
    serviceTokens: readonly string[];
    /** The external services that may call, by name. */
    serviceCallers: Record<string, CallerSettings>;
    /** Clear text if absent. */
    tls: Tls | undefined;
    metrics: Metrics;
    /** Replaces the default bounds of a process. */
    bounds?: Partial<ConnectionBounds>;
    /** True if clients should call this process. The health service reports it. */
    ready(): Promise<boolean>;
}

export interface RpcServer {
    /** host:port */
    address: string;
    /** Refuses new streams, waits for the calls in progress, then closes. */
    stop(): Promise<void>;
}

/**
 * Serves the methods over gRPC: plain unary calls for any client, and the frame stream for this service's own
 * processes.
 */
export async function serve(options: ServeOptions): Promise<RpcServer> {
    const calls = runningCalls(options.dispatch);
    const { interceptor, callerOf } = admission({
        identify: callers({ ...options, dispatch: calls.dispatch }),
        authenticated: (client) => connections.authenticated(client),
    });
    const server = new Server({ ...BOUNDS, interceptors: [interceptor] });
    const byService = Map.groupBy(options.methods, ({ path }) => path.slice(1, path.lastIndexOf('/')));
    for (const methods of byService.values()) addUnaryService(server, methods, callerOf);
    const streams = addFrameService(server, callerOf);
    const services = [...byService.keys()];
    addReflection(server, services);
    const health = addHealth(server, { services, ready: options.ready });

    const injector = server.createConnectionInjector(serverCredentials(options.tls));
    const { host, port, metrics, bounds = {} } = options;
    const accept = (socket: Socket): void => injector.injectConnection(socket);
    const connections = await acceptConnections({ host, port, accept, metrics, bounds });
    return {
        address: `${host}:${connections.port}`,
        async stop() {
            await new Promise<void>((resolve) => {
                health.stop();
                connections.close();
                for (const stream of streams) stream.drain();
                const force = setTimeout(() => server.forceShutdown(), DRAIN_MS);
                server.tryShutdown(() => {
                    clearTimeout(force);
                    connections.end();
                    resolve();
                });
            });
            await calls.finished(DRAIN_MS);
        },
    };
}

/** Adds the frame service. Returns its open streams. */
function addFrameService(server: Server, callerOf: Admission['callerOf']): ReadonlySet<{ drain(): void }> {
    const streams = new Set<{ drain(): void }>();
    const exchange: handleBidiStreamingCall<Frame, Frame> = (stream) => {
        const answering = new FrameServer(stream, callerOf(stream.metadata).dispatch);
        streams.add(answering);
        stream.on('close', () => streams.delete(answering));
    };
    server.addService({ exchange: FRAME_METHOD }, { exchange });
    return streams;
}

/** Adds one service whose methods are plain unary calls. */
function addUnaryService(server: Server, methods: BoundMethod[], callerOf: Admission['callerOf']): void {
    const definition: Record<string, GrpcServiceDefinition[string]> = {};
    const handlers: Record<string, handleUnaryCall<Uint8Array, Uint8Array>> = {};
    for (const { path } of methods) {
        const method = path.slice(path.lastIndexOf('/') + 1);
        definition[method] = {
            path,
            requestStream: false,
            responseStream: false,
            requestSerialize: asBuffer,
            requestDeserialize: (bytes: Buffer) => bytes,
            responseSerialize: asBuffer,
            responseDeserialize: (bytes: Buffer) => bytes,
        };
        handlers[method] = async (call, callback) => {
            try {
                const context = contextFromMetadata(call);
                call.on('cancelled', () => context.cancellation.cancel());
                const response = await callerOf(call.metadata).dispatch(path, call.request, context);
                callback(null, response, trailersOf(context));
            } catch (error) {
                callback(encodeStatus(asAppError(error)));
            }
        };
    }
    server.addService(definition, handlers);
}
