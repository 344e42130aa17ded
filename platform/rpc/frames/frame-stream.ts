import { type Client, type ClientDuplexStream, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Call, Frame } from '../../../proto/gen/rpc/v1/frames.ts';
import { type CallContext, isOver, overError, requireTime, timeoutOfNextHop } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { type Gatherer, gather, overloaded } from '../../gather.ts';
import type { Span } from '../../telemetry/span.ts';
import { startSpan } from '../../telemetry/tracing.ts';
import type { MethodInfo } from '../definition.ts';
import { type InFlight, MAX_CALLS_IN_FLIGHT } from '../in-flight.ts';
import { decodeStatus } from '../unary.ts';
import { CALLS_PER_FRAME, FRAME_BYTES, FRAME_METHOD, writeFrame } from './frames.ts';
import { decodeError, TransportError } from './wire.ts';

interface PendingCall extends Call {
    context: CallContext;
    span: Span;
    /** True if the call was passed to the connection, so that the server may have received it. */
    sent: boolean;
    resolve(response: Uint8Array): void;
    reject(error: AppError): void;
}

interface FrameStreamOptions {
    grpc: Client;
    /** The name of the service, for errors. */
    service: string;
    serviceToken: string;
    inFlight: InFlight;
    /** Called when the state has changed, except by retire(). */
    changed(stream: FrameStream): void;
}

/** The client's side of one stream of frames, with the calls that wait for replies. */
export class FrameStream {
    /** opening: the server has not answered yet. closing: the stream completes its calls, and accepts no more. */
    state: 'opening' | 'open' | 'closing' | 'ended' = 'opening';
    /** True if the server has answered at least once. */
    wasOpen = false;
    /** Why it has ended. */
    endedBy: AppError | undefined;
    readonly #service: string;
    readonly #stream: ClientDuplexStream<Frame, Frame>;
    readonly #inFlight: InFlight;
    readonly #changed: (stream: FrameStream) => void;
    readonly #pending = new Map<number, PendingCall>();
    readonly #calls: Gatherer<PendingCall>;
    #lastId = 0;

    constructor({ grpc, service, serviceToken, inFlight, changed }: FrameStreamOptions) {
        this.#service = service;
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${serviceToken}`);
        const { path, requestSerialize, responseDeserialize } = FRAME_METHOD;
        this.#stream = grpc.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
        this.#stream.on('metadata', () => this.#open());
        this.#stream.on('data', (frame: Frame) => this.#read(frame));
        this.#stream.on('error', (error: ServiceError) => this.#lose(decodeStatus(error, service)));
        this.#stream.on('end', () => {
            this.#stream.end();
            this.#lose(stopping(service));
        });
        this.#inFlight = inFlight;
        this.#changed = changed;
        this.#calls = gather({
            name: 'rpc_calls',
            maxBatch: CALLS_PER_FRAME,
            weight: { of: ({ request }) => request.byteLength, max: FRAME_BYTES },
            maxInFlight: 1,
            maxWaiting: MAX_CALLS_IN_FLIGHT,
            run: (calls) => this.#write(calls),
        });
    }

    call(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        return new Promise((resolve, reject) => {
            requireTime(context);
            if (this.state !== 'open') throw new TransportError(stopping(this.#service), { mayHaveRun: false });
            if (!this.#inFlight.admits(request.byteLength)) throw overloaded('rpc_calls');
            const id = this.#nextId();
            const { path } = method;
            const span = startSpan('client', path, context);
            const call = {
                id,
                method: path,
                timeout_ms: 0, // set when the call is sent
                context: span.within(context),
                request,
                span,
                sent: false,
                resolve,
                reject,
            };
            this.#pending.set(id, call);
            this.#inFlight.add(request.byteLength);
            this.#calls.add(call); // may send it at once; has room for all calls in flight
        });
    }

    /**
     * Fails the calls that have ended, because of their deadline or their client. Cancels those that the server may
     * have received.
     */
    sweep(now: number): void {
        const over = this.#takeWhere(({ context }) => isOver(context, now));
        for (const call of over) fail(call, overError(call.context));
        const cancelled = over.flatMap(({ id, sent }) => (sent ? [id] : []));
        // A failed write ends the stream, and thus its calls.
        if (cancelled.length > 0) void writeFrame(this.#stream, { cancelled }).catch(() => {});
        this.#endWhenDone();
    }

    /** Accepts no more calls, and ends the stream with the last reply. */
    retire(): void {
        if (this.state === 'ended') return;
        this.state = 'closing';
        this.#endWhenDone();
    }

    #nextId(): number {
        this.#lastId = (this.#lastId + 1) >>> 0;
        return this.#lastId;
    }

    #open(): void {
        this.wasOpen = true;
        if (this.state !== 'opening') return; // retired meanwhile
        this.state = 'open';
        this.#changed(this);
    }

    async #write(calls: PendingCall[]): Promise<void> {
        for (const call of calls) {
            call.sent = true;
            call.timeout_ms = timeoutOfNextHop(call.context);
            call.span.sent(calls.length);
        }
        // A frame that cannot be written ends the stream, which fails its calls.
        await writeFrame(this.#stream, { calls }).catch(() => {});
    }

    #read({ replies, draining, last_call }: Frame): void {
        for (const { id, response, error, replayed } of replies) {
            const call = this.#take(id);
            if (!call) continue;
            if (error) {
                fail(call, decodeError(error));
            } else {
                call.span.finish();
                if (replayed && call.context.replay) call.context.replay.isReplay = true;
                call.resolve(response);
            }
        }
        if (draining) {
            this.state = 'closing';
            // The server has not started these.
            for (const call of this.#takeWhere(({ id }) => isLater(id, last_call))) {
                fail(call, new TransportError(stopping(this.#service), { mayHaveRun: false }));
            }
            this.#changed(this);
        }
        this.#endWhenDone();
    }

    /** Removes and returns the pending call; undefined if it has already ended. */
    #take(id: number): PendingCall | undefined {
        const call = this.#pending.get(id);
        if (!call) return;
        this.#pending.delete(id);
        this.#inFlight.remove(call.request.byteLength);
        return call;
    }

    /** Removes and returns the pending calls for which `matches` returns true. They will not be sent. */
    #takeWhere(matches: (call: PendingCall) => boolean): PendingCall[] {
        const taken: PendingCall[] = [];
        for (const call of this.#pending.values()) {
            if (!matches(call)) continue;
            this.#take(call.id);
            taken.push(call);
        }
        if (taken.length > 0) this.#calls.retain(({ id }) => this.#pending.has(id));
        return taken;
    }

    #lose(error: AppError): void {
        if (this.state === 'ended') return;
        this.state = 'ended';
        this.endedBy = error;
        for (const call of this.#takeWhere(() => true))
            fail(call, new TransportError(error, { mayHaveRun: call.sent }));
        this.#changed(this);
    }

    #endWhenDone(): void {
        if (this.state === 'closing' && this.#pending.size === 0) this.#stream.end();
    }
}

/**
 * True if a call is newer than another one on the same stream. Ids restart after 2^32, and far fewer calls are in
 * flight.
 */
function isLater(id: number, than: number): boolean {
    return ((id - than) | 0) > 0;
}

function fail({ span, reject }: PendingCall, error: AppError): void {
    span.finish(error);
    reject(error);
}

function stopping(service: string): AppError {
    const text = 'A part of the service is restarting. Try again shortly.';
    return new AppError('unavailable', text, { retry_after: 1, reason: `service ${service}` });
}
