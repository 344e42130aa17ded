import { type Client, type ClientDuplexStream, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Call, Frame, Reply } from '../../proto/gen/rpc/v1/frames.ts';
import { coalesce } from '../batch.ts';
import { type CallContext, deadlineExceeded, timeoutOfNextHop } from '../context.ts';
import { AppError } from '../errors.ts';
import type { MethodInfo, Transport } from './definition.ts';
import { CALLS_PER_FRAME, EXCHANGE, FRAME_BYTES, MAX_CALLS_IN_FLIGHT, writeFrame } from './frames.ts';
import { decodeStatus } from './unary.ts';
import { decodeError } from './wire.ts';

/** How often overdue calls are looked for, in milliseconds. */
const SWEEP_MS = 50;

/** The stream ended before the reply: the call may or may not have run. */
class ConnectionLost extends AppError {}

interface Pending {
    resolve(response: Uint8Array): void;
    reject(error: AppError): void;
    deadline: number;
}

interface FrameStream {
    /** False once the stream has ended or its server has said that it is about to stop. */
    usable(): boolean;
    call(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array>;
    close(): void;
}

/** The transport that shares one stream; opened by the first call, and again by the next one after it was lost. */
export function frameTransport(grpc: Client, service_token: string): { transport: Transport; close(): void } {
    let stream: FrameStream | undefined;
    const attempt: Transport = (method, request, context) => {
        if (!stream?.usable()) stream = openStream(grpc, service_token);
        return stream.call(method, request, context);
    };
    return {
        async transport(method, request, context) {
            try {
                return await attempt(method, request, context);
            } catch (error) {
                if (error instanceof ConnectionLost && method.safe) return attempt(method, request, context);
                throw error;
            }
        },
        close: () => stream?.close(),
    };
}

function openStream(grpc: Client, service_token: string): FrameStream {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${service_token}`);
    const stream: ClientDuplexStream<Frame, Frame> = grpc.makeBidiStreamRequest(
        EXCHANGE.path,
        EXCHANGE.requestSerialize,
        EXCHANGE.responseDeserialize,
        metadata,
    );
    const pending = new Map<number, Pending>();
    let next_id = 0;
    let usable = true;

    function lose(error?: ServiceError): void {
        usable = false;
        clearInterval(sweeper);
        const { kind, detail, retry_after } = error
            ? decodeStatus(error)
            : new AppError('unavailable', 'A part of the service is restarting. Try again shortly.', {
                  retry_after: 1,
              });
        for (const call of pending.values()) call.reject(new ConnectionLost(kind, detail, { retry_after }));
        pending.clear();
    }
    const sweeper = setInterval(() => rejectOverdue(pending), SWEEP_MS);
    sweeper.unref();
    stream.on('data', (frame: Frame) => {
        if (frame.draining) usable = false;
        for (const reply of frame.replies) settle(pending, reply);
    });
    stream.on('error', lose);
    stream.on('end', () => {
        stream.end();
        lose();
    });

    const send = coalesce<Call, void>({
        name: 'rpc_calls',
        max_batch: CALLS_PER_FRAME,
        weight: { of: ({ request }) => request.byteLength, max: FRAME_BYTES },
        max_in_flight: 1,
        max_waiting: MAX_CALLS_IN_FLIGHT,
        async run(calls) {
            await writeFrame(stream, { calls });
            return calls.map(() => undefined);
        },
    });

    return {
        usable: () => usable && !stream.destroyed,
        async call(method, request, context) {
            const timeout_ms = timeoutOfNextHop(context);
            if (pending.size >= MAX_CALLS_IN_FLIGHT) {
                throw new AppError('unavailable', 'The service is at capacity. Try again shortly.', { retry_after: 1 });
            }
            const id = next_id++ >>> 0;
            return new Promise((resolve, reject) => {
                pending.set(id, { resolve, reject, deadline: performance.now() + timeout_ms });
                // A frame that cannot be written ends the stream, and that fails the calls in it.
                send({ id, method: method.path, timeout_ms, context, request }).catch(() => {});
            });
        },
        close: () => stream.end(),
    };
}

function settle(pending: Map<number, Pending>, reply: Reply): void {
    const call = pending.get(reply.id);
    if (!call) return; // its deadline has passed
    pending.delete(reply.id);
    if (reply.error) call.reject(decodeError(reply.error));
    else call.resolve(reply.response);
}

function rejectOverdue(pending: Map<number, Pending>): void {
    const now = performance.now();
    for (const [id, call] of pending) {
        if (call.deadline > now) continue;
        pending.delete(id);
        call.reject(deadlineExceeded());
    }
}
