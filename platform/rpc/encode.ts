import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** Kept from message to message with the buffer it has grown: a new one would grow and throw away its own each time. */
const writer = new BinaryWriter();

/** The bytes of one message, by the codec that ts-proto generates. */
export function encode<M>(codec: { encode(message: M, writer: BinaryWriter): BinaryWriter }, message: M): Uint8Array {
    try {
        return codec.encode(message, writer).finish();
    } catch (error) {
        writer.finish(); // without what there was of this message
        throw error;
    }
}
