import { timingSafeEqual } from 'node:crypto';
import {
    type ServiceDefinition as GrpcServiceDefinition,
    type handleBidiStreamingCall,
    type handleUnaryCall,
    type Metadata,
    Server,
    ServerCredentials,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Frame } from '../../proto/gen/rpc/v1/frames.ts';
import { AppError, asAppError } from '../errors.ts';
import type { BoundMethod } from './definition.ts';
import type { Dispatch } from './dispatch.ts';
import { answerFrames } from './frame-server.ts';
import { asBuffer, EXCHANGE, MAX_MESSAGE_BYTES } from './frames.ts';
import { contextFromMetadata, encodeStatus } from './unary.ts';

/** What is still under way this long after a stop began is cut off, in milliseconds. */
const DRAIN_MS = 10_000;

export interface ServeOptions {
    methods: BoundMethod[];
    dispatch: Dispatch;
    host: string;
    /** 0: any free one. */
    port: number;
    /** What callers must present as `authorization: Bearer …`. */
    service_token: string;
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
    const authorize = tokenCheck(options.service_token);
    for (const methods of groupByService(options.methods)) {
        addUnaryService(server, methods, { dispatch: options.dispatch, authorize });
    }
    const streams = new Set<{ drain(): void }>();
    const exchange: handleBidiStreamingCall<Frame, Frame> = (stream) => {
        if (!authorize(stream.metadata)) {
            stream.emit('error', encodeStatus(unauthenticated()));
            return;
        }
        const answering = answerFrames(stream, options.dispatch);
        streams.add(answering);
        stream.on('close', () => streams.delete(answering));
    };
    server.addService({ exchange: EXCHANGE }, { exchange });
    const health = new HealthImplementation({ '': 'SERVING' });
    health.addToServer(server);

    const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync(`${options.host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
            error ? reject(error) : resolve(bound),
        );
    });
    return {
        address: `${options.host}:${port}`,
        stop: () =>
            new Promise((resolve) => {
                health.setStatus('', 'NOT_SERVING');
                for (const stream of streams) stream.drain();
                const force = setTimeout(() => server.forceShutdown(), DRAIN_MS);
                server.tryShutdown(() => {
                    clearTimeout(force);
                    resolve();
                });
            }),
    };
}

function unauthenticated(): AppError {
    return new AppError('unauthenticated', 'A valid service token is required.');
}

function tokenCheck(token: string): (metadata: Metadata) => boolean {
    const expected = Buffer.from(`Bearer ${token}`);
    return (metadata) => {
        const sent = Buffer.from(String(metadata.get('authorization')[0] ?? ''));
        return sent.length === expected.length && timingSafeEqual(sent, expected);
    };
}

function groupByService(methods: BoundMethod[]): Iterable<BoundMethod[]> {
    return Map.groupBy(methods, (method) => method.path.slice(0, method.path.lastIndexOf('/'))).values();
}

function addUnaryService(
    server: Server,
    methods: BoundMethod[],
    { dispatch, authorize }: { dispatch: Dispatch; authorize(metadata: Metadata): boolean },
): void {
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
                if (!authorize(call.metadata)) throw unauthenticated();
                callback(null, await dispatch(path, call.request, contextFromMetadata(call)));
            } catch (error) {
                callback(encodeStatus(asAppError(error)));
            }
        };
    }
    server.addService(definition, handlers);
}
