import { BinaryWriter } from '@bufbuild/protobuf/wire';

/**
 * One writer for all messages. It keeps its grown buffer: a new writer would grow and discard a buffer for each
 * message.
 */
const writer = new BinaryWriter();

/** Encodes one message with the codec that ts-proto generates. */
export function encode<M>(codec: { encode(message: M, writer: BinaryWriter): BinaryWriter }, message: M): Uint8Array {
    try {
        return codec.encode(message, writer).finish();
    } catch (error) {
        writer.finish(); // discards the part of this message that it has written
        throw error;
    }
}
