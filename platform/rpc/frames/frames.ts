import { Frame, FrameServiceDefinition } from '../../../proto/gen/rpc/v1/frames.ts';
import { encode } from './encode.ts';

/** Maximum number of calls or replies in a frame. Beyond it: the stream ends. */
export const CALLS_PER_FRAME = 32;
/** Maximum total size of the messages in one frame, in bytes. Beyond it: a message has a frame of its own. */
export const FRAME_BYTES = 1 << 20;
/** The largest message that either side accepts, in bytes. Beyond it: `RESOURCE_EXHAUSTED`. */
export const MAX_MESSAGE_BYTES = 4 << 20;
/**
 * The largest answer that fits into a frame of its own, in bytes. A larger one would end the stream for all calls.
 * Beyond it: `internal`, for that call alone.
 */
export const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES - 1_024;

/** The method whose streams carry frames, as grpc-js describes it. */
export const FRAME_METHOD = {
    path: `/${FrameServiceDefinition.fullName}/${FrameServiceDefinition.methods.exchange.name}`,
    requestStream: true,
    responseStream: true,
    requestSerialize: encodeFrame,
    requestDeserialize: decodeFrame,
    responseSerialize: encodeFrame,
    responseDeserialize: decodeFrame,
} as const;

/** Returns a Buffer over the same memory, as grpc-js requires. */
export function asBuffer(bytes: Uint8Array): Buffer {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function encodeFrame(frame: Frame): Buffer {
    return asBuffer(encode(Frame, frame));
}

function decodeFrame(bytes: Buffer): Frame {
    return Frame.decode(bytes);
}

const NOTHING: Frame = { calls: [], replies: [], draining: false, last_call: 0, cancelled: [] };

interface FrameSink {
    write(frame: Frame, written: (error?: Error | null) => void): unknown;
}

/** Resolves when the transport has accepted the frame. Calls or replies that arrive until then join the next frame. */
export function writeFrame(sink: FrameSink, frame: Partial<Frame>): Promise<void> {
    return new Promise((resolve, reject) => {
        sink.write({ ...NOTHING, ...frame }, (error) => (error ? reject(error) : resolve()));
    });
}
