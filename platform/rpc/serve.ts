import {
    type ServiceDefinition as GrpcServiceDefinition,
    type handleBidiStreamingCall,
    type handleUnaryCall,
    Server,
} from '@grpc/grpc-js';
import type { Frame } from '../../proto/gen/rpc/v1/frames.ts';
import type { CallerSettings } from '../caller-settings.ts';
import { asAppError } from '../errors.ts';
import { callers, type Identify, notAllowed } from './callers.ts';
import type { BoundMethod } from './definition.ts';
import type { Dispatch } from './dispatch.ts';
import { FrameServer } from './frame-server.ts';
import { asBuffer, EXCHANGE, MAX_MESSAGE_BYTES } from './frames.ts';
import { addHealth } from './health.ts';
import { addReflection } from './reflection.ts';
import { serverCredentials, type Tls } from './tls.ts';
import { contextFromMetadata, encodeStatus } from './unary.ts';

/** What is still under way this long after a stop began is cut off, in milliseconds. */
const DRAIN_MS = 10_000;

export interface ServeOptions {
    methods: BoundMethod[];
    dispatch: Dispatch;
    host: string;
    /** 0: any free one. */
    port: number;
    /** What this service's own processes present as `authorization: Bearer …`: any of these. */
    service_tokens: readonly string[];
    /** The other services that may call, by their names. */
    service_callers: Record<string, CallerSettings>;
    /** In clear text without. */
    tls: Tls | undefined;
    /** Whether this process should be sent calls: what health answers. */
    ready(): Promise<boolean>;
}

export interface RpcServer {
    /** host:port */
    address: string;
    /** Refuses new streams, answers what is under way, then closes. */
    stop(): Promise<void>;
}

/** Serves the methods over gRPC: plain unary calls for any client, the frame stream for this service's own processes. */
export async function serve(options: ServeOptions): Promise<RpcServer> {
    const server = new Server({
        'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
        'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    });
    const identify = callers(options);
    const by_service = Map.groupBy(options.methods, ({ path }) => path.slice(1, path.lastIndexOf('/')));
    for (const methods of by_service.values()) addUnaryService(server, methods, identify);
    const streams = addFrameService(server, identify);
    const services = [...by_service.keys()];
    addReflection(server, { services, identify });
    const health = addHealth(server, { services, ready: options.ready });

    const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync(`${options.host}:${options.port}`, serverCredentials(options.tls), (error, bound) =>
            error ? reject(error) : resolve(bound),
        );
    });
    return {
        address: `${options.host}:${port}`,
        stop: () =>
            new Promise((resolve) => {
                health.stop();
                for (const stream of streams) stream.drain();
                const force = setTimeout(() => server.forceShutdown(), DRAIN_MS);
                server.tryShutdown(() => {
                    clearTimeout(force);
                    resolve();
                });
            }),
    };
}

/** The streams that are open. */
function addFrameService(server: Server, identify: Identify): ReadonlySet<{ drain(): void }> {
    const streams = new Set<{ drain(): void }>();
    const exchange: handleBidiStreamingCall<Frame, Frame> = (stream) => {
        try {
            const caller = identify(stream.metadata);
            if (!caller.allows(EXCHANGE.path)) throw notAllowed();
            const answering = new FrameServer(stream, caller.dispatch);
            streams.add(answering);
            stream.on('close', () => streams.delete(answering));
        } catch (error) {
            stream.emit('error', encodeStatus(asAppError(error)));
        }
    };
    server.addService({ exchange: EXCHANGE }, { exchange });
    return streams;
}

function addUnaryService(server: Server, methods: BoundMethod[], identify: Identify): void {
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
                const caller = identify(call.metadata);
                const context = contextFromMetadata(call);
                call.on('cancelled', () => context.cancellation.cancel());
                callback(null, await caller.dispatch(path, call.request, context));
            } catch (error) {
                callback(encodeStatus(asAppError(error)));
            }
        };
    }
    server.addService(definition, handlers);
}
