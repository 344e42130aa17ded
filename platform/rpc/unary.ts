import { type Client, Metadata, type ServerUnaryCall, type ServiceError, status } from '@grpc/grpc-js';
import {
    type CallContext,
    Cancellation,
    deadlineExceeded,
    limitOf,
    overError,
    REQUEST_TIMEOUT_MS,
    requireTime,
    timeoutOfNextHop,
    withIdempotencyKey,
} from '../context.ts';
import { AppError } from '../errors.ts';
import { newId, REQUEST_ID } from '../ids.ts';
import { readTraceparent } from '../telemetry/span.ts';
import { startSpan } from '../telemetry/tracing.ts';
import type { EncodedTransport } from './definition.ts';
import { asBuffer } from './frames/frames.ts';
import { decodeError, TransportError } from './frames/wire.ts';

/** The context fields that travel as metadata, with their names there. */
const FIELDS = {
    request_id: 'x-request-id',
    traceparent: 'traceparent',
    user_id: 'x-on-behalf-of',
    tier: 'x-account-tier',
    session_id: 'x-session-id',
    key_id: 'x-key-id',
    address: 'x-client-address',
    idempotency_key: 'idempotency-key',
} as const;

/** The trailer of an answer that repeats an earlier one. */
const REPLAYED = 'idempotent-replayed';

export function contextFromMetadata(call: ServerUnaryCall<unknown, unknown>): CallContext {
    const text = (name: string): string | undefined => {
        const [value] = call.metadata.get(name);
        return typeof value === 'string' ? value : undefined;
    };
    const until = Number(call.getDeadline()) - Date.now(); // infinite if the client set none
    const requestId = text(FIELDS.request_id);
    const userId = text(FIELDS.user_id);
    const timeoutMs = Number.isFinite(until) ? limitOf(until, { user_id: userId }) : REQUEST_TIMEOUT_MS;
    const context = {
        request_id: requestId !== undefined && REQUEST_ID.test(requestId) ? requestId : newId(),
        traceparent: readTraceparent(text(FIELDS.traceparent)),
        user_id: userId,
        tier: text(FIELDS.tier),
        session_id: text(FIELDS.session_id),
        key_id: text(FIELDS.key_id),
        address: text(FIELDS.address),
        trusted: text('x-trusted') === 'true',
        deadline: performance.now() + timeoutMs,
        cancellation: new Cancellation(),
    };
    const keys = call.metadata.get(FIELDS.idempotency_key);
    // Node joins repeated entries in the same way. The result is not a valid key.
    return withIdempotencyKey(context, keys.length === 0 ? undefined : keys.join(', '));
}

function metadataFromContext(context: CallContext, serviceToken: string): Metadata {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${serviceToken}`);
    for (const [field, name] of Object.entries(FIELDS)) {
        const value = context[field as keyof typeof FIELDS]; // the keys of FIELDS: entries() loses their type
        if (value !== undefined) metadata.set(name, value);
    }
    if (context.trusted) metadata.set('x-trusted', 'true');
    return metadata;
}

/** Returns the trailers of an answer. */
export function trailersOf({ replay }: CallContext): Metadata | undefined {
    if (!replay?.isReplay) return undefined;
    const metadata = new Metadata();
    metadata.set(REPLAYED, 'true');
    return metadata;
}

/** Converts an AppError to a gRPC status: its code and detail, with kind, wait and reason as trailers. */
export function encodeStatus(error: AppError): { code: status; details: string; metadata: Metadata } {
    const metadata = new Metadata();
    metadata.set('error-kind', error.kind);
    if (error.retry_after !== undefined) metadata.set('retry-after', String(error.retry_after));
    if (error.reason !== undefined) metadata.set('error-reason', error.reason);
    return { code: error.grpcCode, details: error.detail, metadata };
}

/**
 * Converts the error of a failed gRPC call to `service` to an AppError. A failure of the connection is `unavailable`.
 */
export function decodeStatus(error: ServiceError, service: string): AppError {
    const [kind] = error.metadata.get('error-kind');
    const [retryAfter] = error.metadata.get('retry-after');
    const [reason] = error.metadata.get('error-reason');
    if (typeof kind === 'string') {
        return decodeError({
            kind,
            detail: error.details,
            retry_after: retryAfter ? Number(retryAfter) : undefined,
            reason: reason?.toString(),
        });
    }
    if (error.code === status.DEADLINE_EXCEEDED) return deadlineExceeded();
    return new TransportError(unreachable(service, error), { mayHaveRun: true });
}

export function unreachable(service: string, cause?: unknown): AppError {
    return new AppError('unavailable', 'A part of the service cannot be reached. Try again shortly.', {
        retry_after: 1,
        reason: `service ${service}`,
        cause,
    });
}

/**
 * Creates a transport that sends each call to `service` as a plain unary call, for messages that are too large for a
 * frame.
 */
export function unaryTransport(
    grpc: Client,
    { service, serviceToken }: { service: string; serviceToken: string },
): EncodedTransport {
    return (method, request, context) =>
        new Promise((resolve, reject) => {
            requireTime(context);
            const deadline = Date.now() + timeoutOfNextHop(context);
            const span = startSpan('client', method.path, context);
            let stopListening = (): void => {};
            const call = grpc.makeUnaryRequest(
                method.path,
                asBuffer,
                (bytes: Buffer): Uint8Array => bytes,
                request,
                metadataFromContext(span.within(context), serviceToken),
                { deadline },
                (error, response) => {
                    stopListening();
                    const failure = error ? failureOf(error, service, context) : undefined;
                    span.finish(failure);
                    if (failure) reject(failure);
                    else resolve(response as Uint8Array); // grpc-js gives a response if there is no error
                },
            );
            // grpc-js emits this right after the callback, before anybody can see the response.
            call.on('status', ({ metadata: trailers }) => {
                if (context.replay && trailers.get(REPLAYED)[0] === 'true') context.replay.isReplay = true;
            });
            stopListening = context.cancellation.onCancelled(() => call.cancel());
        });
}

/** Converts the error of a call. gRPC reports CANCELLED for a call that this side has cancelled. */
function failureOf(error: ServiceError, service: string, context: CallContext): AppError {
    return context.cancellation.isCancelled && error.code === status.CANCELLED
        ? overError(context)
        : decodeStatus(error, service);
}
