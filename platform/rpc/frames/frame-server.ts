import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Call, Frame, Reply } from '../../../proto/gen/rpc/v1/frames.ts';
import { Cancellation, limitOf, withIdempotencyKey } from '../../context.ts';
import { AppError, asAppError } from '../../errors.ts';
import { type Gatherer, gather, overloaded } from '../../gather.ts';
import type { Dispatch } from '../dispatch.ts';
import { InFlight, MAX_CALLS_IN_FLIGHT } from '../in-flight.ts';
import { encodeStatus } from '../unary.ts';
import { CALLS_PER_FRAME, FRAME_BYTES, writeFrame } from './frames.ts';
import { encodeError } from './wire.ts';

const NO_RESPONSE = new Uint8Array();

/** Answers the calls of one client process independently: a slow call does not delay the others. */
export class FrameServer {
    readonly #stream: ServerDuplexStream<Frame, Frame>;
    readonly #dispatch: Dispatch;
    readonly #running = new Map<number, Cancellation>();
    readonly #inFlight = new InFlight();
    readonly #replies: Gatherer<Reply>;
    #lastCall = 0;
    #draining = false;
    /** True if the client no longer reads replies. */
    #ended = false;

    constructor(stream: ServerDuplexStream<Frame, Frame>, dispatch: Dispatch) {
        this.#stream = stream;
        this.#dispatch = dispatch;
        this.#replies = gather({
            name: 'rpc_replies',
            maxBatch: CALLS_PER_FRAME,
            weight: { of: ({ response }) => response.byteLength, max: FRAME_BYTES },
            maxInFlight: 1,
            maxWaiting: MAX_CALLS_IN_FLIGHT,
            run: (replies) => this.#write(replies),
        });
        stream.on('data', (frame: Frame) => this.#read(frame));
        stream.on('end', () => stream.end());
        stream.on('error', () => {}); // the client has gone: 'close' follows
        stream.on('close', () => this.#end());
        stream.sendMetadata(new Metadata()); // this tells the client that the stream works
    }

    /** Answers the calls that it has accepted, then ends the stream. */
    drain(): void {
        this.#draining = true;
        const lastCall = this.#lastCall;
        void writeFrame(this.#stream, { draining: true, last_call: lastCall }).then(
            () => this.#endWhenIdle(),
            () => {}, // the stream has ended
        );
    }

    #read({ calls, cancelled }: Frame): void {
        for (const id of cancelled) {
            this.#running.get(id)?.cancel();
        }
        if (this.#draining || this.#ended) return; // the client knows that these calls were not accepted
        if (calls.length > CALLS_PER_FRAME) {
            this.#end();
            const refusal = new AppError('invalid', `A frame may contain at most ${CALLS_PER_FRAME} calls.`);
            this.#stream.emit('error', encodeStatus(refusal)); // the status with which the stream ends
            return;
        }
        for (const call of calls) {
            this.#lastCall = call.id;
            void this.#answer(call);
        }
    }

    async #answer(call: Call): Promise<void> {
        const { id, request } = call;
        const isAdmitted = this.#inFlight.admits(request.byteLength);
        this.#inFlight.add(request.byteLength);
        let reply: Reply;
        try {
            if (!isAdmitted) throw overloaded('rpc_calls');
            reply = { id, ...(await this.#execute(call)) };
        } catch (error) {
            reply = { id, response: NO_RESPONSE, error: encodeError(asAppError(error)) };
        }
        this.#running.delete(id);
        if (this.#ended) return;
        this.#inFlight.exchange(request.byteLength, reply.response.byteLength);
        try {
            this.#replies.add(reply);
        } catch {
            // The client exceeds the bounds and does not read. Its call fails at its deadline.
            this.#inFlight.remove(reply.response.byteLength);
            this.#endWhenIdle();
        }
    }

    async #execute({ id, method, request, context, timeout_ms }: Call): Promise<Omit<Reply, 'id'>> {
        if (!context) throw new AppError('invalid', 'A call needs a context.');
        const deadline = performance.now() + limitOf(timeout_ms, context);
        const cancellation = new Cancellation();
        const own = withIdempotencyKey({ ...context, deadline, cancellation }, context.idempotency_key);
        this.#running.set(id, cancellation);
        const response = await this.#dispatch(method, request, own);
        return own.replay?.isReplay ? { response, replayed: true } : { response };
    }

    async #write(replies: Reply[]): Promise<void> {
        // A reply that cannot be written is dropped: the client fails the call when the stream ends.
        await writeFrame(this.#stream, { replies }).catch(() => {});
        for (const { response } of replies) this.#inFlight.remove(response.byteLength);
        this.#endWhenIdle();
    }

    #end(): void {
        this.#ended = true;
        for (const cancellation of this.#running.values()) cancellation.cancel();
        this.#replies.retain(() => false);
    }

    #endWhenIdle(): void {
        if (this.#draining && this.#inFlight.calls === 0) this.#stream.end();
    }
}
