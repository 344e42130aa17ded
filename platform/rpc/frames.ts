import { Frame, FrameServiceDefinition } from '../../proto/gen/rpc/v1/frames.ts';
import { encode } from './encode.ts';

/** Calls or replies per frame. */
export const CALLS_PER_FRAME = 32;
/** What the messages in one frame may come to together, in bytes; a larger one travels alone. */
export const FRAME_BYTES = 1 << 20;
/** The largest message either side accepts, in bytes. */
export const MAX_MESSAGE_BYTES = 4 << 20;
/** The largest answer that fits into a frame of its own, in bytes: a larger one would end the stream for all. */
export const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES - 1_024;

/** The stream that frames travel on, as grpc-js describes a method. */
export const EXCHANGE = {
    path: `/${FrameServiceDefinition.fullName}/${FrameServiceDefinition.methods.exchange.name}`,
    requestStream: true,
    responseStream: true,
    requestSerialize: encodeFrame,
    requestDeserialize: decodeFrame,
    responseSerialize: encodeFrame,
    responseDeserialize: decodeFrame,
} as const;

/** Views the same memory as the Buffer that grpc-js wants. */
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

/** Resolves when the transport has taken the frame: what comes meanwhile gathers for the next one. */
export function writeFrame(sink: FrameSink, frame: Partial<Frame>): Promise<void> {
    return new Promise((resolve, reject) => {
        sink.write({ ...NOTHING, ...frame }, (error) => (error ? reject(error) : resolve()));
    });
}
