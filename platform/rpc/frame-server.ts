import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Call, Frame, Reply } from '../../proto/gen/rpc/v1/frames.ts';
import { coalesce } from '../batch.ts';
import { AppError, asAppError } from '../errors.ts';
import type { Dispatch } from './dispatch.ts';
import { CALLS_PER_FRAME, FRAME_BYTES, MAX_CALLS_IN_FLIGHT, MAX_MESSAGE_BYTES, writeFrame } from './frames.ts';
import { encodeError } from './wire.ts';

/** The largest answer that fits into a frame of its own: a larger one would end the stream for all. */
const MAX_REPLY_BYTES = MAX_MESSAGE_BYTES - 1_024;

/** Answers the calls of one client process, each on its own: a slow one holds up no other. Returns how to wind it up. */
export function answerFrames(stream: ServerDuplexStream<Frame, Frame>, dispatch: Dispatch): { drain(): void } {
    let in_flight = 0;
    let draining = false;
    const reply = coalesce<Reply, void>({
        name: 'rpc_replies',
        max_batch: CALLS_PER_FRAME,
        weight: { of: ({ response }) => response.byteLength, max: FRAME_BYTES },
        max_in_flight: 1,
        max_waiting: MAX_CALLS_IN_FLIGHT,
        async run(replies) {
            await writeFrame(stream, { replies });
            return replies.map(() => undefined);
        },
    });
    const endWhenIdle = (): void => {
        if (draining && in_flight === 0) stream.end();
    };

    async function answer(call: Call): Promise<void> {
        in_flight++;
        const answered = await execute(call, in_flight > MAX_CALLS_IN_FLIGHT, dispatch);
        // A reply that cannot be written has no reader any more: its client fails the call when the stream ends.
        await reply(answered).catch(() => {});
        in_flight--;
        endWhenIdle();
    }

    stream.on('data', (frame: Frame) => {
        for (const call of frame.calls) void answer(call);
    });
    stream.on('end', () => stream.end());
    // The client's going away ends the stream; what it had asked for runs to its end.
    stream.on('error', () => {});

    return {
        drain() {
            draining = true;
            void writeFrame(stream, { draining }).then(endWhenIdle, () => {});
        },
    };
}

async function execute(call: Call, overloaded: boolean, dispatch: Dispatch): Promise<Reply> {
    const { id, method, request, context, timeout_ms } = call;
    try {
        if (overloaded) throw new AppError('unavailable', 'The service is at capacity.', { retry_after: 1 });
        if (!context) throw new AppError('invalid', 'A call needs a context.');
        const deadline = performance.now() + timeout_ms;
        const response = await dispatch(method, request, { ...context, deadline });
        if (response.byteLength > MAX_REPLY_BYTES)
            throw new AppError('internal', 'The answer is too large to be sent.');
        return { id, response };
    } catch (error) {
        return { id, response: new Uint8Array(), error: encodeError(asAppError(error)) };
    }
}
