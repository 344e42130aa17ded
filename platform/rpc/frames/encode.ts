import { BinaryWriter } from '@bufbuild/protobuf/wire';

/**
 * Reused for all messages, with the buffer that it has grown: a new writer would grow and discard a buffer each time.
 */
const writer = new BinaryWriter();

/** Encodes one message with the codec that ts-proto generates. */
export function encode<M>(codec: { encode(message: M, writer: BinaryWriter): BinaryWriter }, message: M): Uint8Array {
    try {
        return codec.encode(message, writer).finish();
    } catch (error) {
        writer.finish(); // drops what it had written of this message
        throw error;
    }
}
